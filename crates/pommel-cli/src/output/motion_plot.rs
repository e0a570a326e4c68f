//! Pictures of a motion under drivers.

use std::path::Path;

use kuva::prelude::*;

use super::columns::Series;
use super::motion::Motion;
use super::plot::{Panel, curve, figure};
use crate::failure::Failure;

/// Curves that one panel can show and tell apart.
const SHOWN: usize = 16;

/// Positions, velocities and accelerations over time: of mass centres left, of angles right.
pub(crate) fn motion(file: &Path, motion: &Motion) -> Result<(), Failure> {
    // in space velocities are angular ones first
    let (planar, of_body) = (motion.planar, if motion.planar { 3 } else { 7 });
    let turns = |k: usize| if planar { k % 3 == 2 } else { k % 7 >= 3 };
    let rates = |k: usize| if planar { k % 3 == 2 } else { k % 6 < 3 };
    let angles = if of_body == 3 { "Angles" } else { "Quaternions" };
    let unit = if of_body == 3 { "rad" } else { "" };
    let panels = vec![
        panel(motion, &motion.q, "Mass centres", "m", &|k| !turns(k)),
        panel(motion, &motion.q, angles, unit, &turns),
        panel(motion, &motion.v, "Velocities", "m/s", &|k| !rates(k)),
        panel(motion, &motion.v, "Angular velocities", "rad/s", &rates),
        panel(motion, &motion.a, "Accelerations", "m/s²", &|k| !rates(k)),
        panel(motion, &motion.a, "Angular accelerations", "rad/s²", &rates),
    ];
    figure(file, &motion.title, 2, panels)
}

fn panel(
    motion: &Motion,
    list: &[Series],
    title: &str,
    unit: &str,
    belongs: &dyn Fn(usize) -> bool,
) -> Panel {
    let curves: Vec<&Series> =
        list.iter().enumerate().filter(|(k, _)| belongs(*k)).map(|(_, series)| series).collect();
    let plots = curves.iter().take(SHOWN).enumerate().map(|(k, series)| {
        let points: Vec<(f64, f64)> =
            motion.t.iter().copied().zip(series.values.iter().copied()).collect();
        Plot::from(curve(k, points, &series.name))
    });
    let more = curves.len() > SHOWN;
    Panel {
        title: if more {
            format!("{title}, the first {SHOWN} of {}", curves.len())
        } else {
            title.to_owned()
        },
        x_label: "time, s".to_owned(),
        y_label: unit.to_owned(),
        plots: plots.collect(),
    }
}
