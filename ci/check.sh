#!/usr/bin/env bash
# All checks: formatting, lints, tests, documentation, and the commands of the README.
# Runs at home as in CI; needs a Rust toolchain, and Python for the distributed sweep, which is left out without. Prints how long each part took.
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

# crates for the web: only where the target is there or can be had
wasm() {
    local target=wasm32-unknown-unknown
    if [ ! -d "$(rustc --print target-libdir --target "$target")" ] &&
        ! timeout 120 rustup target add "$target" 2>/dev/null; then
        echo "left out: the target $target is not installed"
        return
    fi
    cargo check --locked --package pommel-kkt --no-default-features --target "$target" --quiet
}

# the distributed sweep: only where there is a Python that can make environments
distributed() {
    if ! python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
        echo "left out: there is no Python 3.10 with venv"
        return
    fi
    bash ci/dask.sh
}

part "formatting" cargo fmt --all --check
part "lints" cargo clippy --locked --workspace --all-targets --all-features --quiet -- -D warnings
part "pommel-kkt without features" cargo check --locked --package pommel-kkt --no-default-features --quiet
part "pommel-kkt for WebAssembly" wasm
# the second command of the README, as written there
part "tests" cargo test --workspace
part "tests of features of pommel-kkt" cargo test --locked --package pommel-kkt --all-features \
    --test it -- faer sprs stored threads
part "documentation" env RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace \
    --all-features --no-deps --quiet
part "commands of the README" bash ci/readme.sh
part "distributed sweeps" distributed
echo "all checks passed in $SECONDS s"
