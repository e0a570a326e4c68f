//! Pictures of a motion under drivers.

use std::path::Path;

use kuva::prelude::*;

use super::columns::Series;
use super::motion::Motion;
use super::plot::{Panel, curve, figure};
use crate::failure::Failure;

/// Curves that one panel can show and tell apart.
const SHOWN: usize = 16;

/// Positions, velocities and accelerations over time, of mass centres left, of angles right; below, paths of
/// named frames.
pub(crate) fn motion(file: &Path, motion: &Motion) -> Result<(), Failure> {
    // in space velocities are angular ones first
    let (planar, of_body) = (motion.planar, if motion.planar { 3 } else { 7 });
    let turns = |k: usize| if planar { k % 3 == 2 } else { k % 7 >= 3 };
    let rates = |k: usize| if planar { k % 3 == 2 } else { k % 6 < 3 };
    let angles = if of_body == 3 { "Angles" } else { "Quaternions" };
    let unit = if of_body == 3 { "rad" } else { "" };
    let mut panels = vec![
        panel(motion, &motion.q, "Mass centres", "m", &|k| !turns(k)),
        panel(motion, &motion.q, angles, unit, &turns),
        panel(motion, &motion.v, "Velocities", "m/s", &|k| !rates(k)),
        panel(motion, &motion.v, "Angular velocities", "rad/s", &rates),
        panel(motion, &motion.a, "Accelerations", "m/s²", &|k| !rates(k)),
        panel(motion, &motion.a, "Angular accelerations", "rad/s²", &rates),
    ];
    if !motion.frames.is_empty() {
        panels.push(paths(motion, [0, 1], ["x, m", "y, m"]));
        if !motion.planar {
            panels.push(paths(motion, [0, 2], ["x, m", "z, m"]));
            panels.push(paths(motion, [1, 2], ["y, m", "z, m"]));
        }
    }
    figure(file, &motion.title, 2, panels)
}

/// Curves that named frames trace, in two of the axes.
fn paths(motion: &Motion, [x, y]: [usize; 2], labels: [&str; 2]) -> Panel {
    let plots = motion.frames.iter().take(SHOWN).enumerate().map(|(k, frame)| {
        let points = frame.points.iter().map(|p| (p.position[x], p.position[y])).collect();
        Plot::from(curve(k, points, &frame.name))
    });
    Panel {
        title: format!("Paths of frames, {} over {}", &labels[1][..1], &labels[0][..1]),
        x_label: labels[0].to_owned(),
        y_label: labels[1].to_owned(),
        plots: plots.collect(),
        to_scale: true,
    }
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
        to_scale: false,
    }
}
