//! `pommel merge`.

use pommel::batch::{Manifest, MergeOptions, merge};

use super::sweep_output::{Watch, tell};
use crate::args;
use crate::failure::Failure;

pub(crate) fn run(args: &args::Merge) -> Result<(), Failure> {
    let mut watch = Watch::new(Manifest::read(&args.directory)?.instances);
    let options = MergeOptions { remove_shards: args.remove_shards };
    let summary = merge(&args.directory, &options, &mut watch);
    watch.clear();
    tell(&args.directory, &summary?, &watch, None, None, args.json)
}
