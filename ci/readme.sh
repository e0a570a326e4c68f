#!/usr/bin/env bash
# Runs the commands of README.md as they stand there, in a copy of the work tree's outputs only:
# what they write goes to a temporary directory or is ignored by git and removed.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch" sweep-results' EXIT

# the first command, as written
command=$(grep -m1 '^cargo run --release -- sweep' README.md)
rm -rf sweep-results
echo "\$ $command"
$command >"$scratch/sweep.txt"
tail -n 6 "$scratch/sweep.txt"
for file in results.parquet summary.json plot.svg plan.toml; do
    test -s "sweep-results/$file" || { echo "the sweep left no $file"; exit 1; }
done
grep -q '^1000 of 1000 finished' "$scratch/sweep.txt" || { echo "not all variants finished"; exit 1; }

# the program's commands: every line of a shell block that starts with `pommel `
pommel=$PWD/target/release/pommel
[ -x "$pommel" ] || pommel=${CARGO_TARGET_DIR:?}/release/pommel
root=$PWD
ln -s "$root/datasets" "$scratch/datasets"
count=0
while IFS= read -r line; do
    echo "\$ $line"
    (cd "$scratch" && eval "${line/#pommel/\"$pommel\"}" >"$scratch/out.txt" 2>"$scratch/err.txt") ||
        { cat "$scratch/err.txt"; echo "failed: $line"; exit 1; }
    count=$((count + 1))
done < <(awk '/^```sh/ { shell = 1 } /^```$/ { shell = 0 } shell && /^pommel /' README.md)
[ "$count" -ge 5 ] || { echo "only $count commands found in README.md"; exit 1; }
for file in run.csv run.svg motion.csv motion.svg comparison/comparison.svg model.schema.json puma.toml puma.c solution.mtx; do
    test -s "$scratch/$file" || { echo "no $file was written"; exit 1; }
done

# the Rust example
cargo run --quiet --release -p pommel --example quick_start >"$scratch/example.txt" 2>&1 ||
    { cat "$scratch/example.txt"; exit 1; }
grep -q 'energy drift' "$scratch/example.txt" || { cat "$scratch/example.txt"; exit 1; }
echo "$count commands of the README ran"
