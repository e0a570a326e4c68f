"""The distributed sweep against the same sweep in one process, with a worker killed on purpose.

    POMMEL=target/release/pommel python -m unittest discover -s integrations/dask

needs dask.distributed (``pip install -r integrations/dask/requirements.txt``).
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import psutil
from dask.distributed import Client, LocalCluster

import pommel_dask

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = str(Path(os.environ.get("POMMEL", ROOT / "target/release/pommel")).resolve())
PLAN = """
name = "payloads"
model = "{model}"
end = {end}
integrator = {{ rtol = 1e-8, atol = 1e-10 }}
design = {{ kind = "random", count = {count}, seed = 5 }}
parameters = [
  {{ path = "bodies.payload.mass", uniform = [5.0, 400.0] }},
  {{ path = "joints.j_L2.torque.amplitude", uniform = [-8.0, 8.0] }},
]
"""


class Distributed(unittest.TestCase):
    """Sweeps on two worker processes of this machine."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        cls.client = Client(cls.cluster)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.client.close()
        cls.cluster.close()

    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)

    def plan(self, count: int, end: float = 10.0) -> Path:
        """A plan with so many instances."""
        path = self.place / "plan.toml"
        model = ROOT / "datasets/robots/ets7_payload/model.toml"
        path.write_text(PLAN.format(model=model, count=count, end=end))
        return path

    def alone(self, plan: Path) -> dict:
        """The summary of one process."""
        command = [PROGRAM, "sweep", str(plan), "--out", str(self.place / "alone"), "--json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    def test_results_are_those_of_one_process(self) -> None:
        plan = self.plan(300)
        summary = pommel_dask.sweep(
            plan, self.place / "out", shards=5, client=self.client, program=PROGRAM
        )
        alone = self.alone(plan)
        self.assertEqual(summary["instances"], 300)
        self.assertEqual(summary["digest"], alone["digest"])
        same = [(self.place / where / "results.parquet").read_bytes() for where in ("out", "alone")]
        self.assertEqual(*same)

    def test_a_killed_worker_loses_nothing(self) -> None:
        plan = self.plan(30000)
        killed = []
        # one that runs a shard
        workers = [psutil.Process(worker) for worker in self.client.run(os.getpid).values()]

        def kill() -> None:
            for _ in range(3000):
                for worker in workers:
                    if worker.children():
                        killed.extend(worker.children())
                        worker.kill()
                        return
                time.sleep(0.01)

        thread = threading.Thread(target=kill)
        thread.start()
        summary = pommel_dask.sweep(
            plan, self.place / "out", shards=6, client=self.client, program=PROGRAM
        )
        thread.join()
        self.assertEqual(len(killed), 1, "a shard was running where the worker was killed")
        self.assertEqual(summary["digest"], self.alone(plan)["digest"])

    def test_a_shard_that_fails_is_told_apart(self) -> None:
        plan = self.plan(100, end=1.0)
        out = self.place / "out"
        statuses = []
        with self.assertRaises(pommel_dask.SweepError) as caught:
            pommel_dask.sweep(
                plan,
                out,
                shards=3,
                client=self.client,
                program=PROGRAM,
                retries=0,
                options=["--no-such-option"],
                on_status=statuses.append,
            )
        self.assertEqual(len(caught.exception.statuses), 3)
        self.assertEqual(len(statuses), 3)
        self.assertIn("--no-such-option", str(caught.exception))

    def test_a_missing_program_is_told(self) -> None:
        with self.assertRaises(pommel_dask.SweepError) as caught:
            pommel_dask.sweep(
                self.plan(10), self.place / "out", shards=1, client=self.client, program="no-such"
            )
        self.assertIn("no-such", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
