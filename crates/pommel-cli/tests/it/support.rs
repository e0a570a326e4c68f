//! Runs the program; makes models, plans and places for files.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;

/// A free base with one link on a hinge, at rest but for the hinge.
pub(crate) const ARM: &str = r#"name = "arm"

[[bodies]]
name = "base"
mass = 10.0
inertia = [1.0, 1.0, 1.0]

[[bodies]]
name = "link"
mass = 2.0
com = [0.5, 0.0, 0.0]
inertia = [0.1, 0.2, 0.2]

[[joints]]
name = "root"
type = "free"
parent = "ground"
child = "base"

[[joints]]
name = "elbow"
type = "revolute"
parent = "base"
child = "link"
axis = [0.0, 0.0, 1.0]
in_parent = { position = [0.5, 0.0, 0.0] }

[initial.v]
elbow = 0.5
"#;

/// [`ARM`] with a part of its text replaced.
pub(crate) fn arm_with(part: &str, replacement: &str) -> String {
    assert_eq!(ARM.matches(part).count(), 1, "'{part}' names one place of the model");
    ARM.replace(part, replacement)
}

/// A plan over `arm.toml`, with the tables that follow its head.
pub(crate) fn plan(rest: &str) -> String {
    format!("name = \"arms\"\nmodel = \"arm.toml\"\nend = 0.5\n{rest}\n")
}

/// The rest of a plan that gives the link these masses.
pub(crate) fn masses(list: &str) -> String {
    format!(
        "design = {{ kind = \"grid\" }}\n\
         parameters = [{{ path = \"bodies.link.mass\", values = {list} }}]"
    )
}

/// Path of the repository's root.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("the crate lies two levels below the root").to_owned()
}

/// A path below `datasets/`.
pub(crate) fn dataset(name: &str) -> String {
    root().join("datasets").join(name).to_str().expect("text").to_owned()
}

/// What a run of the program left.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs the program.
pub(crate) fn pommel(args: &[&str]) -> Run {
    pommel_in(Path::new(env!("CARGO_MANIFEST_DIR")), args)
}

/// Runs the program in a directory.
pub(crate) fn pommel_in(directory: &Path, args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pommel"));
    Run::of(command.current_dir(directory).args(args).output().expect("the program starts"))
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the program prints UTF-8");
        let run = Run {
            status: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        };
        assert!(!run.err.contains("panicked"), "{}", run.err);
        run
    }

    /// Ends well.
    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        assert_eq!(self.status, Some(0), "{}", self.err);
        assert!(!self.err.contains("error:"), "{}", self.err);
        self
    }

    /// Ends with a status, nothing on standard output, and an error that says all of `texts`.
    #[track_caller]
    pub(crate) fn fails(self, status: i32, texts: &[&str]) {
        assert_eq!(self.status, Some(status), "{}", self.err);
        assert_eq!(self.out, "");
        let error = self.err.split_once("error: ").map_or("", |(_, error)| error);
        for text in texts {
            assert!(error.contains(text), "'{text}' is not in: {error}");
        }
    }

    /// Ends well, with one JSON document on one line of standard output and nothing else there.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        let run = self.succeeds();
        assert_eq!(run.out.matches('\n').count(), 1, "{}", run.out);
        serde_json::from_str(&run.out).expect("JSON")
    }
}

/// An empty directory of its own, removed when it goes out of scope.
#[derive(Debug)]
pub(crate) struct Place(PathBuf);

impl Place {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pommel-cli-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        // of a run that was killed
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).expect("temporary directory");
        Place(path)
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.0
    }

    /// Path of something in the place.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("text").to_owned()
    }

    /// Writes a file and returns its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).expect("write");
        path
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("UTF-8")
    }

    /// Names of everything in a directory of the place, sorted.
    pub(crate) fn names(&self, directory: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.join(directory)).expect("directory");
        let name = |e: std::io::Result<std::fs::DirEntry>| e.expect("entry").file_name();
        let mut names: Vec<_> = entries.map(|e| name(e).into_string().expect("text")).collect();
        names.sort();
        names
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Bytes that are no text in any format.
pub(crate) fn garbage() -> Vec<u8> {
    (0..2000_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// Numbers of a JSON list.
#[track_caller]
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap_or_else(|| panic!("a list, not {value}"));
    list.iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// Texts of a JSON list.
#[track_caller]
pub(crate) fn texts(value: &Value) -> Vec<&str> {
    let list = value.as_array().unwrap_or_else(|| panic!("a list, not {value}"));
    list.iter().map(|x| x.as_str().expect("a text")).collect()
}

#[track_caller]
pub(crate) fn assert_keys(value: &Value, keys: &[&str]) {
    let map = value.as_object().unwrap_or_else(|| panic!("an object, not {value}"));
    for key in keys {
        assert!(map.contains_key(*key), "no key '{key}' among {:?}", map.keys());
    }
}

/// The columns of a Parquet file.
pub(crate) fn parquet_columns(path: &str) -> BTreeMap<String, Vec<Field>> {
    let reader = SerializedFileReader::new(File::open(path).expect("file")).expect("Parquet");
    let mut columns = BTreeMap::<String, Vec<Field>>::new();
    for row in reader.get_row_iter(None).expect("rows") {
        for (name, cell) in row.expect("row").get_column_iter() {
            columns.entry(name.clone()).or_default().push(cell.clone());
        }
    }
    columns
}
