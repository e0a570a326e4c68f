#!/usr/bin/env bash
# Tests of the distributed sweep on two worker processes of this machine, in a Python environment of their own.
# Needs the release program, Python 3.10 or newer and a package index.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/venv"
if ! timeout 300 "$scratch/venv/bin/pip" install --quiet --disable-pip-version-check \
    -r integrations/dask/requirements.txt 2>"$scratch/log.txt"; then
    tail -n 3 "$scratch/log.txt"
    echo "left out: dask.distributed cannot be installed"
    exit 0
fi
pommel=${CARGO_TARGET_DIR:-target}/release/pommel
POMMEL=$pommel PYTHONDONTWRITEBYTECODE=1 timeout 600 \
    "$scratch/venv/bin/python" -W ignore -m unittest discover -s integrations/dask 2>"$scratch/log.txt" ||
    { tail -n 60 "$scratch/log.txt"; exit 1; }
grep -E '^Ran [0-9]+ tests' "$scratch/log.txt"

# the script of the Slurm array, with the variables that Slurm sets
plan=datasets/sweeps/free_floating_arm.toml
for task in 1 2; do
    POMMEL=$pommel SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_COUNT=2 \
        SLURM_CPUS_PER_TASK=2 bash integrations/slurm/sweep.sbatch "$plan" "$scratch/array" >"$scratch/task.txt" 2>&1 ||
        { cat "$scratch/task.txt"; exit 1; }
done
"$pommel" merge "$scratch/array" | tail -n 1
if POMMEL=$pommel SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=2 SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_COUNT=1 \
    bash integrations/slurm/sweep.sbatch "$plan" "$scratch/gap" 2>"$scratch/task.txt"; then
    echo "an array that is not 1-N was taken"
    exit 1
fi
grep -q 'the array must be 1-N' "$scratch/task.txt"
