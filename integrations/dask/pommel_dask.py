"""Runs the shards of a pommel sweep on the workers of dask.distributed, and merges them.

A shard is one call of the program, ``pommel sweep PLAN --out DIR --shard I/N``: it is done when its
file has its final name in DIR, which all workers must share. So nothing is lost when a worker dies:
the shard is given to another worker, which goes on where the first one was interrupted.

From Python::

    from dask.distributed import Client
    from pommel_dask import sweep

    summary = sweep("plan.toml", "results", shards=16, client=Client("scheduler:8786"))
    print(summary["digest"])

or from a shell, on two processes of this machine::

    python pommel_dask.py plan.toml --out results --shards 16 --workers 2
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Sequence

import cloudpickle
from dask.distributed import Client, LocalCluster, as_completed


class ShardError(RuntimeError):
    """A call of the program that ended with an error, which the message quotes."""


class SweepError(RuntimeError):
    """Shards that are not done after all retries; ``statuses`` has one entry a shard."""

    def __init__(self, message: str, statuses: list[ShardStatus]):
        super().__init__(message)
        self.statuses = statuses


@dataclass(frozen=True)
class ShardStatus:
    """What became of a shard."""

    shard: int
    """Its number, from 1."""
    done: bool
    """Whether its file is there."""
    message: str
    """Why it is not, or nothing."""


def sweep(
    plan: str | Path,
    out: str | Path,
    *,
    shards: int,
    client: Client,
    program: str = "pommel",
    threads: int = 1,
    retries: int = 2,
    options: Sequence[str] = (),
    on_status: Callable[[ShardStatus], None] | None = None,
) -> dict[str, Any]:
    """Runs all shards of a sweep on the workers of ``client``, merges them and returns the summary.

    Arguments:
        plan: the plan file, at a path that all workers see
        out: the directory of the results, on a file system that all workers share
        shards: number of shards; several for each worker, so that none waits long for the last one
        client: whose workers run them
        program: the program on the workers
        threads: threads of one shard; 1 where each worker has one core
        retries: how often a shard is tried again that ended with an error. One whose worker died is
            tried again as often as the setting ``distributed.scheduler.allowed-failures`` says (3)
        options: more options of ``pommel sweep``
        on_status: called for each shard as it ends

    Raises:
        SweepError: some shards are not done. Call this again with the same arguments: shards that are
            done are not repeated.
        ShardError: the shards could not be merged.
    """
    if shards < 1:
        raise ValueError(f"a sweep has at least one shard, not {shards}")
    plan, out = str(Path(plan).resolve()), str(Path(out).resolve())
    call_id = uuid.uuid4().hex
    # workers on other machines do not have this module: functions go to them by value
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    futures = {
        client.submit(
            run_shard,
            *(program, plan, out, shard, shards, threads, list(options)),
            retries=retries,
            key=f"pommel-shard-{shard}-of-{shards}-{call_id}",
        ): shard
        for shard in range(1, shards + 1)
    }
    statuses = []
    for future in as_completed(futures):
        error = future.exception()
        shard = futures[future]
        message = "" if error is None else f"{type(error).__name__}: {error}"
        status = ShardStatus(shard, error is None, message)
        statuses.append(status)
        if on_status is not None:
            on_status(status)
    statuses.sort(key=lambda status: status.shard)
    failed = [status for status in statuses if not status.done]
    if failed:
        listed = "\n".join(f"  shard {s.shard} of {shards}: {s.message}" for s in failed)
        raise SweepError(
            f"{len(failed)} of {shards} shards are not done:\n{listed}\n"
            "Mend what they say and call this again; shards that are done are not repeated.",
            statuses,
        )
    return json.loads(call([program, "merge", out, "--json"]))


def run_shard(
    program: str,
    plan: str,
    out: str,
    shard: int,
    shards: int,
    threads: int,
    options: Sequence[str],
) -> None:
    """One shard, on the worker that this is called on."""
    call(
        [program, "sweep", plan, "--out", out, "--shard", f"{shard}/{shards}"]
        + ["--threads", str(threads), "--json", *options]
    )


def call(command: Sequence[str]) -> str:
    """What a command prints.

    Raises:
        ShardError: with what it says, if it fails.
    """
    try:
        done = subprocess.run([*_end_with_parent(), *command], capture_output=True, text=True)
    except OSError as error:
        raise ShardError(f"`{command[0]}` does not start on this worker: {error}") from error
    if done.returncode != 0:
        said = done.stderr.strip()[-2000:] or "(it said nothing)"
        raise ShardError(f"`{' '.join(command)}` ended with status {done.returncode}: {said}")
    return done.stdout


def _end_with_parent() -> list[str]:
    """Before a command: it ends when its worker is killed, so that it does not hold the lock of its shard."""
    program = shutil.which("setpriv")
    if program is None:
        return []
    before = [program, "--pdeathsig", "KILL"]
    # old versions do not know the option
    known = subprocess.run([*before, program, "--version"], capture_output=True)
    return before if known.returncode == 0 else []


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="Runs the shards of a pommel sweep on dask.distributed and merges them.",
        epilog="example: python pommel_dask.py datasets/sweeps/free_floating_arm.toml "
        "--out results --shards 8 --workers 2 --program target/release/pommel",
    )
    parser.add_argument("plan", help="the plan file")
    parser.add_argument("--out", required=True, help="directory of the results, shared by all workers")
    parser.add_argument("--shards", type=int, required=True, help="number of shards")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--scheduler", help="address of a running scheduler, such as host:8786")
    where.add_argument("--workers", type=int, default=2, help="processes on this machine (default 2)")
    parser.add_argument("--program", default="pommel", help="the program on the workers")
    parser.add_argument("--threads", type=int, default=1, help="threads of a shard (default 1)")
    parser.add_argument("--retries", type=int, default=2, help="tries of a failed shard besides the first")
    args = parser.parse_args(arguments)

    def tell(status: ShardStatus) -> None:
        told = "done" if status.done else status.message
        print(f"shard {status.shard} of {args.shards}: {told}", file=sys.stderr)

    cluster = None
    if args.scheduler is None:
        cluster = LocalCluster(n_workers=args.workers, threads_per_worker=1, dashboard_address=None)
    try:
        with Client(cluster if cluster is not None else args.scheduler) as client:
            summary = sweep(
                args.plan,
                args.out,
                shards=args.shards,
                client=client,
                program=args.program,
                threads=args.threads,
                retries=args.retries,
                on_status=tell,
            )
    except (ShardError, SweepError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        if cluster is not None:
            cluster.close()
    print(json.dumps(summary, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
