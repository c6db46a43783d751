//! The variant of a tournament and the variants that engines declare.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::mock::{mock, script};
use crate::support::runner::{BASHO, arguments, basho, stderr, stdout};

#[test]
fn rejects_option_with_another_variant() {
    let temp = tempfile::tempdir().unwrap();
    let play = |variant: &str| {
        let option = format!("option.uci_variant={variant}");
        let engines = ["--engine", "cmd=builtin:random", "--engine", "cmd=builtin:greedy", &option];
        let output = Command::new(BASHO)
            .args(["match", "--variant", "kamon", "--rounds", "1"])
            .args(engines)
            .current_dir(temp.path())
            .output()
            .unwrap();
        (output.status.code(), stderr(&output))
    };
    let (code, error) = play("kamisado-long");
    assert!(
        code == Some(64) && error.contains("expected `kamon`, the tournament's `variant`"),
        "{code:?}: {error}"
    );
    assert_eq!(play("kamon").0, Some(0));
}

/// An engine that declares these values of `UCI_Variant`, or no such option. It cannot play.
fn engine_declaring(dir: &Path, variants: &[&str]) -> String {
    let option = match variants {
        [] => String::new(),
        [first, ..] => {
            let values: String = variants.iter().map(|variant| format!(" var {variant}")).collect();
            format!("echo 'option name UCI_Variant type combo default {first}{values}'; ")
        }
    };
    let text = mock("exit 1")
        .replace("echo uciok", &format!("{option}echo uciok"))
        .replace("isready)", "ugi) echo ugiok;;\nisready)");
    format!("args={}", script(dir, "mock.sh", &text).display())
}

/// A pair of games of an engine with these arguments against the random player.
fn play(args: &str, variant: &str, run: &Path) -> Output {
    let engines = arguments("match --engine cmd=builtin:random --engine cmd=sh name=bot nodes=1");
    basho(&[engines.as_slice(), &[args, "--rounds", "1", "--variant", variant]].concat(), run)
}

#[test]
fn rejects_engine_without_declared_variant() {
    let temp = tempfile::tempdir().unwrap();
    let cases: [(&[&str], &str, &str); 4] = [
        (
            &["kamisado-simple"],
            "kamisado-standard",
            "has `kamisado-simple`; expected it to declare `kamisado-standard`",
        ),
        (
            &["kamisado-long", "kamon"],
            "kamisado-simple",
            "has `kamisado-long`, `kamon`; expected it to declare `kamisado-simple`",
        ),
        (&["chess"], "kamon", "has `chess`; expected it to declare `kamon`"),
        (
            &[],
            "kamon",
            "declares no option `UCI_Variant`, so it is taken to play `kamisado-standard`; \
             expected it to declare `kamon`",
        ),
    ];
    for (index, (variants, variant, expected)) in cases.into_iter().enumerate() {
        let args = engine_declaring(temp.path(), variants);
        let run = temp.path().join(index.to_string());
        let output = play(&args, variant, &run);
        let printed = stderr(&output);
        assert!(
            output.status.code() == Some(64) && printed.contains("engine 2 (bot): its option")
                || variants.is_empty(),
            "{printed}"
        );
        assert!(
            printed.contains(expected) && printed.contains("`--variant` (`variant =` in a file)"),
            "{printed}"
        );
        assert!(!run.exists(), "{variant}: nothing is recorded");
        let path = args.strip_prefix("args=").unwrap();
        let checked =
            Command::new(BASHO).args(["check", "--variant", variant, "sh", path]).output().unwrap();
        let printed = stdout(&checked);
        assert!(
            checked.status.code() == Some(3)
                && printed.contains("Failed Step 2")
                && printed.contains(expected),
            "{printed}"
        );
    }
}

#[test]
fn accepts_engine_with_declared_or_default_variant() {
    let temp = tempfile::tempdir().unwrap();
    let cases: [(&[&str], &str); 3] = [
        (&["kamisado-simple"], "kamisado-simple"),
        (&["kamon", "kamisado-standard"], "kamisado-standard"),
        (&[], "kamisado-standard"),
    ];
    for (index, (variants, variant)) in cases.into_iter().enumerate() {
        let args = engine_declaring(temp.path(), variants);
        let output = play(&args, variant, &temp.path().join(index.to_string()));
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let printed = stderr(&output);
        assert_eq!(
            printed.contains("declares no option `UCI_Variant`; it is taken to play"),
            variants.is_empty(),
            "{printed}"
        );
    }
}
