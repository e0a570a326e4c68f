#!/usr/bin/env bash
# All checks: formatting, lints, tests, documentation, and the commands of the README.
# Runs at home as in CI; needs a Rust toolchain only. Prints how long each part took.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0

part() {
    local name=$1 start=$SECONDS
    shift
    echo "== $name"
    "$@"
    echo "== $name: done in $((SECONDS - start)) s"
}

part "formatting" cargo fmt --all --check
part "lints" cargo clippy --locked --workspace --all-targets --quiet -- -D warnings
# the second command of the README, as written there
part "tests" cargo test --workspace
part "documentation" env RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --quiet
part "commands of the README" bash ci/readme.sh
echo "all checks passed in $SECONDS s"
