//! The command line.

mod files;
mod motions;
mod solutions;
mod states;
mod sweeps;

use clap::{Parser, Subcommand};

pub(crate) use files::{Convert, ModelArguments, SampleFiles, Schema, SchemaKind};
pub(crate) use motions::{Compare, Kinematics, Precision, Simulate};
pub(crate) use solutions::{Kkt, Time};
pub(crate) use states::{Accel, Info, MassMatrix};
pub(crate) use sweeps::{Merge, Sweep};

/// Multibody dynamics: describe, solve, simulate and sweep mechanisms.
///
/// Models are native files (.toml, .json; see `pommel schema`) or URDF. Units are SI, angles in
/// radians, quaternions (w, x, y, z). With --json, a command prints one JSON document on standard
/// output; notes and progress go to standard error.
///
/// Exit status: 0 done, 1 the computation failed, 2 wrong usage or unreadable input, 130 a sweep was interrupted.
#[derive(Debug, Parser)]
#[command(name = "pommel", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read, check and describe a model
    #[command(after_help = "Examples:\n  \
        pommel info datasets/robots/ets7_free/model.toml\n  \
        pommel info datasets/mechanisms/double_parallel_crank/model.toml\n\n\
        For a mechanism with loops, constraints or drivers, rows and their rank are those of absolute\n\
        coordinates, where every joint is made of constraints, at the initial position, assembled if it\n\
        has to be. Degrees of freedom are what the rank leaves, not what a count of rows does; redundant\n\
        rows are named with the constraints that they depend on. A tree has no constraints. Drivers are\n\
        told apart: rows and rank of the text are those without, rows, rank and degrees_of_freedom of\n\
        --json those with drivers. What cannot be assembled is described all the same.")]
    Info(Info),
    /// Accelerations of a model at a state
    #[command(after_help = "Examples:\n  \
        pommel accel datasets/robots/puma560_fixed/model.urdf --gravity 0 0 -9.81\n  \
        pommel accel datasets/robots/ets7_free/model.toml --state datasets/states/ets7_free.json --json\n  \
        pommel accel datasets/mechanisms/fm24/model.toml --formulation sparse_kkt\n\n\
        Accelerations of trees by recursion are those of the joints. Those of mechanisms with loops or\n\
        constraints, and by all other formulations, are given in absolute coordinates: mass centres and\n\
        angles in the plane, mass centres and quaternions in space, with angular velocities in body axes.\n\
        Multipliers, one a row of the constraints, are the forces that M a + Jᵀ λ = Q takes off: that of a\n\
        driver is minus the torque or force of its motor, that of a joint minus what acts on its child; N, or N m\n\
        for rows of angles. Of rows that depend on others, some choice. With all, differences are relative to the largest\n\
        acceleration.\n\n\
        Keys of --json: coordinates, velocities (names), q, v, a, multipliers, backward_error, formulation,\n\
        bodies (position, velocity, acceleration, ... of each by name; in world axes); in absolute coordinates\n\
        also rows (names), rank. With all, an array of such documents.\n\n\
        Formulations: sparse_kkt,\n\
        dense_kkt, range_space, zero_eigenvalue, qr, svd, putd, qtz, schur, simple_partitioning,\n\
        coordinate_partitioning, udwadia_kalaba, udwadia_phohomsiri, defalco_1, defalco_2, penalty,\n\
        augmented_lagrangian, recursion, velocity_transformation, all.\n\n\
        Velocities of a free joint are in world axes, those of a spherical joint in the axes of its child.")]
    Accel(Accel),
    /// Inertia matrix of a model at a state, with factors, momentum, energy and Jacobians
    #[command(after_help = "Examples:\n  \
        pommel mass-matrix datasets/robots/puma560_fixed/model.toml --frame ee\n  \
        pommel mass-matrix datasets/robots/ets7_free/model.toml --state datasets/states/ets7_free.json --frame ee --frame base --json\n\n\
        H = U D Uᵀ, in the order of the velocities. A pivot is the inertia that the motor of a joint\n\
        feels while the joints beyond it are free. Momentum is that of all that moves, its angular part\n\
        about the common mass centre. The six rows of a Jacobian are the angular velocity and the\n\
        velocity of the point; vectors are in world axes.")]
    MassMatrix(MassMatrix),
    /// Positions, velocities and accelerations that the drivers of a model prescribe
    #[command(after_help = "Examples:\n  \
        pommel kinematics datasets/mechanisms/fourbar_table/model.toml --end 1 --every 0.025 --out motion.csv\n  \
        pommel kinematics datasets/mechanisms/fourbar_table/model.toml --end 1 --plot motion.svg\n\n\
        Drivers must prescribe as many motions as the joints leave free (`pommel info` counts them).\n\
        Each position is found from the one before by Newton's method; redundant constraints do no\n\
        harm. Coordinates are absolute: in the plane mass centre and angle of every body, in space mass\n\
        centre and quaternion, with angular velocities in body axes. A position where velocities are\n\
        not determined is a warning if it lies between samples, an error if it is one.\n\n\
        Points that matter are named as [[frames]] of the model: files, tables and plots show how these\n\
        move, such as a coupler curve.\n\n\
        Keys of --json: coordinates, velocities (names), t, q, v, a, frames (position, velocity,\n\
        acceleration of each by name, in world axes), residuals (of positions, velocities, accelerations),\n\
        iterations, singular_positions.")]
    Kinematics(Kinematics),
    /// Simulate one trajectory
    #[command(after_help = "Examples:\n  \
        pommel simulate datasets/robots/ets7_payload/model.toml --end 10 --every 0.1 --out run.csv\n  \
        pommel simulate datasets/robots/ets7_payload/model.toml --end 10 --every 0.05 --plot run.svg\n  \
        pommel simulate datasets/mechanisms/a03_andrews/model.toml --end 0.05 --plot squeezer.svg\n  \
        pommel simulate datasets/mechanisms/a04_bricard/model.toml --end 10 --accuracy 1e-9 --json\n  \
        pommel simulate datasets/mechanisms/fourbar_ex32/model.toml --end 2 --integrator rattle --step 0.001 --fixed\n  \
        pommel simulate datasets/mechanisms/ev_belt_stickslip/model.toml --end 5\n\n\
        Samples are at 0, at multiples of --every, and at the end. The drift of energy is that of\n\
        kinetic plus potential energy less the work of all forces but gravity (and springs, for\n\
        mechanisms in absolute coordinates).\n\n\
        Trees move in joint coordinates. Mechanisms with loops, constraints or drivers, and all where a\n\
        formulation, a stabilization or an integrator for these is asked for, move in absolute\n\
        coordinates: mass centres and orientations of all bodies. Dry friction sticks and slips, limits\n\
        and contacts stop, with a log of events.")]
    Simulate(Simulate),
    /// Run a batch of variants over all cores
    #[command(after_help = "Examples:\n  \
        pommel sweep datasets/sweeps/free_floating_arm.toml --out sweep-results\n  \
        pommel sweep datasets/sweeps/free_floating_arm.toml --out sweep-results --resume\n  \
        pommel sweep datasets/sweeps/free_floating_arm.toml --out shares --shard 1/50\n  \
        pommel sweep datasets/sweeps/free_floating_arm.toml --dry-run\n\n\
        The directory gets results.parquet (one row per variant), summary.json, plot.svg, a copy of the\n\
        plan and manifest.json. The digest is that of the results' content: it does not depend on\n\
        threads, lanes, shares or interruptions, and neither do the bytes of results.parquet.\n\n\
        Rows are kept as they come. A sweep that was interrupted, by Ctrl-C, a full disk or kill -9, goes\n\
        on with --resume. With --shard I/N, N processes or machines each run a share in one directory, in\n\
        any order; a share that is there already is not run again, one that was interrupted goes on.\n\
        `pommel merge` joins them. In a job array of SLURM: --shard $SLURM_ARRAY_TASK_ID/50")]
    Sweep(Sweep),
    /// Join the shares of a batch that `pommel sweep --shard` ran
    #[command(after_help = "Examples:\n  \
        pommel sweep datasets/sweeps/free_floating_arm.toml --out shares --shard 1/2\n  \
        pommel sweep datasets/sweeps/free_floating_arm.toml --out shares --shard 2/2\n  \
        pommel merge shares\n\n\
        The directory gets results.parquet, the same to the byte as that of the sweep at once,\n\
        summary.json and plot.svg. Shares that are missing are listed with what makes them. Neither the\n\
        plan nor the model is needed beside the directory.")]
    Merge(Merge),
    /// Every formulation of the accelerations on one mechanism, side by side
    #[command(after_help = "Examples:\n  \
        pommel compare datasets/mechanisms/fm24/model.toml --end 0.5 --seconds 0.01\n  \
        pommel compare datasets/mechanisms/peaucellier/model.toml --end 0.2 --seconds 0.01 --formulations sparse_kkt,recursion,qr --out comparison\n\n\
        The published comparison is that of fm24 with all that is default (D. de Falco, D. Guida,\n\
        E. Pennestri, A review of multibody dynamics formulations, First AAM, New Orleans 2008).\n\n\
        All formulations solve the same equations M a + Jᵀ λ = Q, J a = γ in absolute coordinates, from\n\
        the same start, with the same integrator: Dormand and Prince 5(4) with the step control of\n\
        MATLAB's ode45 (or of DOPRI5: --controller pi). Nothing is stabilized, so constraints drift.\n\
        Times are processor times of whole runs, medians of as many as fill --seconds.\n\n\
        --out DIR gets comparison.md, comparison.csv and comparison.svg (times on a logarithmic scale);\n\
        on fm24 with the published figures of the same comparison and what they measured. With --growth,\n\
        every formulation is timed on N four-bar linkages for N = 1 to 1000 instead, and DIR gets\n\
        growth.csv and growth.svg.\n\n\
        Keys of the rows of --json: formulation, status (ok, or why it refused), cpu_seconds, runs,\n\
        evaluations, steps, rejected, solver_seconds, position_residual_max, velocity_residual_max,\n\
        energy_drift, end_difference, end.")]
    Compare(Compare),
    /// What each digit costs: integrators on one mechanism, side by side
    #[command(after_help = "Examples:\n  \
        pommel precision datasets/mechanisms/chain2/model.toml --end 1 --tolerances 1e-3,1e-5 --seconds 0.1\n  \
        pommel precision datasets/mechanisms/fourbar_ex32/model.toml --end 1 --methods dopri5,dop853 --drift --out precision\n\n\
        Every method integrates the motion from the start to --end at every tolerance, relative and\n\
        absolute alike. The error is that of the end, the largest of |difference| / (1 + |value|) over\n\
        coordinates and velocities in absolute coordinates, against a run that is verified to at\n\
        least 1e-8. Times are processor times of one run. A method whose run took longer than --seconds\n\
        is not asked for smaller tolerances.\n\n\
        --out DIR gets precision.csv and precision.svg; with --drift also drift.csv and drift.svg: the\n\
        violation of constraints over time at 1e-6 with nothing, Baumgarte's method and projection.\n\n\
        Keys of --json: mechanism, end, reference_difference, reference_tolerance, and rows with\n\
        method, tolerance, error, cpu_seconds, steps, evaluations, position_residual_max, status.")]
    Precision(Precision),
    /// Time one kernel on this machine, and count its operations
    #[command(after_help = "Examples:\n  \
        pommel time datasets/robots/puma560_fixed/model.urdf --kernel forward-dynamics\n  \
        pommel time datasets/robots/ets7_free/model.toml --kernel mass-matrix --lanes 4 --json\n  \
        pommel time datasets/mechanisms/fm24/model.toml --kernel kkt --lanes 4\n\n\
        Kernels:\n  \
        forward-dynamics   accelerations from joint forces, O(n)\n  \
        inverse-dynamics   joint forces from accelerations (the numbers of v are taken for them)\n  \
        mass-matrix        the joint-space inertia matrix\n  \
        derivatives        accelerations with their derivatives by q, v and tau\n  \
        kkt                factorization and solution of the saddle-point system in absolute\n  \
        \x20                  coordinates, for mechanisms with loops too; its terms are given\n\n\
        One thread, timed by its processor time; the median over chunks of about a millisecond.\n\
        A call serves as many instances as there are lanes. Operations are those of one instance;\n\
        a multiply-add is one multiplication and one addition, a sine with its cosine one trig.\n\
        Springs, dampers and functions of time in the model are not part of a kernel.")]
    Time(Time),
    /// Solve a sparse saddle-point system from Matrix Market files
    #[command(
        override_usage = "pommel kkt --mass <M.mtx> --jacobian <J.mtx> [OPTIONS]\n       \
        pommel kkt --matrix <K.mtx> [OPTIONS]",
        after_help = "Examples:\n  \
        pommel kkt --mass datasets/saddle_points/four_bar/M.mtx --jacobian datasets/saddle_points/four_bar/J.mtx --rhs datasets/saddle_points/four_bar/B.mtx\n  \
        pommel kkt --mass datasets/saddle_points/parallel_crank/M.mtx --jacobian datasets/saddle_points/parallel_crank/J.mtx --rhs datasets/saddle_points/parallel_crank/B.mtx --json\n  \
        pommel kkt --matrix datasets/saddle_points/four_bar/K.mtx --out solution.mtx\n\n\
        The system is [M Jᵀ; J −C] [x; λ] = [f; g]. M and C are symmetric, `symmetric` files hold one\n\
        triangle. Without --rhs, the right-hand side is K times a vector of ones.\n\n\
        Rows and columns are counted from 0 in the report, from 1 in errors of files, as files count.\n\
        Rows of J that depend on others are found, left out and listed; their multipliers are 0, and\n\
        they do not count in backward and estimated errors. A row is dependent if the part of it\n\
        outside of the span of others is, in the metric of M⁻¹, below the root of --tolerance of its\n\
        size; a smaller tolerance keeps it.\n\n\
        The verdict says what the solution is worth:\n  \
        good                       unique and accurate\n  \
        good_with_dependent_rows   the unknowns are; the multipliers are one choice of many\n  \
        inconsistent               dependent rows contradict others: no solution\n  \
        singular                   some motions meet neither mass nor constraint\n  \
        inaccurate                 the unknowns may be wrong by more than 1e-6\n  \
        misplaced, not_finite      pivots vanish, or numbers overflow\n\n\
        Good does not mean a minimum: the unknowns are one if the inertia is (n, rank, m − rank), that\n\
        is, without C, if M is positive definite on what J leaves free. Else a note says so.\n\n\
        With any but the first two verdicts, the exit status is 1; the report is printed and --out\n\
        written all the same, with the error on standard error. A file that cannot be written gives 1\n\
        too, files that cannot be read or make no system give 2.\n\n\
        Times are processor times of one thread. The analysis is timed once, with the trials that it\n\
        makes with the numbers. Times of factorization and solution are medians over --repeat samples,\n\
        each of as many calls as fill 50 µs; a solution is refined, its error is not estimated.\n\n\
        Keys of --json:\n  \
        matrices, right_hand_side      files, or what stands in for the right-hand side\n  \
        n, m, bodies, constraints      unknowns, rows of J, and the blocks of both\n  \
        verdict, message               as above; a sentence\n  \
        rank, dependent_rows           of the rows of J\n  \
        free_unknowns                  that meet neither mass nor constraint, set to 0\n  \
        inertia                        numbers of eigenvalues [above, below, at zero]\n  \
        minimum                        whether the unknowns are a minimum\n  \
        backward_error                 of the solution, componentwise\n  \
        unknowns_error                 estimated, relative to the largest unknown\n  \
        multipliers_error              estimated, relative to the largest multiplier\n  \
        refinement_steps               that were made\n  \
        factor_entries, nnz_factor     numbers of the factor (the same under two names)\n  \
        multiply_adds                  of a factorization\n  \
        fronts, largest_front          dense blocks, rows of the largest\n  \
        analyse_seconds, factor_seconds, solve_seconds\n  \
        solution                       x, then λ\n\
        A number that is not finite is null. Where M, J or C overflow, so are rank, dependent_rows,\n\
        free_unknowns, inertia and minimum; where pivots are misplaced, minimum."
    )]
    Kkt(Kkt),
    /// Print the JSON Schema of models and sweep plans
    #[command(
        after_help = "Examples:\n  pommel schema model > model.schema.json\n  pommel schema sweep\n\n\
        Without a kind, one JSON document holds both under the keys model and sweep."
    )]
    Schema(Schema),
    /// Write a model (URDF, TOML, JSON) as a native model, or as C or Rust code
    #[command(after_help = "Examples:\n  \
        pommel convert datasets/robots/puma560_fixed/model.urdf puma.toml\n  \
        pommel convert datasets/robots/puma560_fixed/model.urdf puma.c --codegen\n  \
        pommel convert datasets/robots/puma560_fixed/model.urdf puma.rs --codegen\n\n\
        With --codegen, the file has three functions of this one robot: accelerations from joint\n\
        forces, joint forces from accelerations, the inertia matrix. The robot's numbers are\n\
        constants of the code. Gravity and the joint forces passed in act; springs, dampers,\n\
        torques and wrenches of the model are left out, and named. The comment at the head of the\n\
        file says how to compile it, and names coordinates, units and axes.")]
    Convert(Convert),
}
