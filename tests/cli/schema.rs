//! `conform schema`.

use super::{conform, outcome};

#[test]
fn every_schema_in_the_folder_is_printed_by_name() {
    for entry in std::fs::read_dir("schemas/conform").expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|stem| stem.to_str());
        let (code, stdout, stderr) = outcome(&mut conform(&["schema", name.expect("a name")]));

        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{}", path.display());
        assert_eq!(stdout, std::fs::read_to_string(&path).expect("the file"));
    }
}

#[test]
fn without_a_name_the_formats_are_listed_with_their_files() {
    let (code, stdout, _) = outcome(&mut conform(&["schema"]));

    assert_eq!(code, Some(0));
    assert!(
        stdout.contains("ordering") && stdout.contains("ordering.yaml"),
        "{stdout}"
    );
}

#[test]
fn an_unknown_format_is_an_error_that_names_the_nearest() {
    let (code, stdout, stderr) = outcome(&mut conform(&["schema", "scenarios"]));

    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("`scenario`"), "{stderr}");
}
