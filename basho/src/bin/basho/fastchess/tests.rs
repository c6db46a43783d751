use super::*;

/// Translates a line without the program's name, split at white space.
fn translate_line(line: &str) -> Result<Translation, ArgumentError> {
    translate(std::iter::once("basho").chain(line.split_whitespace()).map(OsString::from).collect())
}

/// The translation of a line, without the program's name, and its notes.
fn translated(line: &str) -> (String, Vec<String>) {
    let Translation { arguments, notes } = translate_line(line).unwrap();
    let arguments: Vec<_> =
        arguments.iter().skip(1).map(|argument| argument.to_str().unwrap()).collect();
    (arguments.join(" "), notes)
}

fn assert_translates(line: &str, expected: &str) {
    assert_eq!(translated(line), (expected.to_owned(), Vec::new()), "{line}");
}

fn error(line: &str) -> String {
    translate_line(line).unwrap_err().to_string()
}

#[test]
fn keeps_options_with_two_dashes() {
    for line in [
        "",
        "-h",
        "-V",
        "--help",
        "run x.toml --rounds 2",
        "match --engine cmd=a args=-x --engine cmd=b --rounds 2",
        "match --engine cmd=-x -h",
        "check ./oshi -engine",
        "stats --ptnml 1,2,3,4,5 --elo0 -5",
    ] {
        assert_translates(line, line);
    }
    let invalid = OsString::from("basho")
        .into_string()
        .map(|_| std::os::unix::ffi::OsStringExt::from_vec(vec![b'-', 0xff]));
    let words = vec![OsString::from("basho"), OsString::from("-engine"), invalid.unwrap()];
    let message = translate(words).unwrap_err().to_string();
    assert!(
        message.starts_with("`-") && message.ends_with("` is not UTF-8; expected a text"),
        "{message}"
    );
}

#[test]
fn accepts_fastchess_lines_with_and_without_command() {
    let own = "--engine cmd=a tc=10+0.1 --engine cmd=b tc=10+0.1 --rounds 200 --concurrency 4";
    let line = "-engine cmd=a -engine cmd=b -each tc=10+0.1 -rounds 200 -repeat -concurrency 4";
    assert_translates(line, &format!("match {own}"));
    assert_translates(&format!("match {line}"), &format!("match {own}"));
    assert_translates(&format!("sprt {line}"), &format!("sprt {own}"));
    assert_translates(
        &format!("{line} --into DIR --shard 1/2"),
        &format!("match {own} --into DIR --shard 1/2"),
    );
    assert_translates("--compliance ./oshi -x", "check ./oshi -x");
    assert_translates("-version", "--version");
    assert_translates("match -v", "--version");
    assert_translates("-help", "match --help");
}

#[test]
fn translates_engine_settings() {
    let cases = [
        ("cmd=a dir=Engines/", "cmd=Engines/a dir=Engines/"),
        ("dir=. cmd=./a", "dir=. cmd=./a"),
        ("dir=. cmd=/bin/a", "dir=. cmd=/bin/a"),
        ("dir=x cmd=builtin:random", "dir=x cmd=builtin:random"),
        ("proto=uci tc=inf depth=6", "depth=6"),
        ("tc=infinite nodes=5", "nodes=5"),
        ("tc=2+0.02s", "tc=2+0.02"),
        ("tc=0.02s", "tc=0.02"),
        ("tc=40/1:9.65+0.1", "tc=40/1:9.65+0.1"),
        ("st=0.10 timemargin=250", "movetime=100 timemargin=250"),
        ("st=5s", "movetime=5000"),
        ("plies=7", "depth=7"),
        ("restart=on", "restart=true"),
        ("restart=off", "restart=false"),
        ("restart=auto", "restart=false"),
        ("option.Hash=16 name=x stderr=f args=a=b", "option.Hash=16 name=x stderr=f args=a=b"),
    ];
    for (line, own) in cases {
        assert_translates(&format!("-engine {line}"), &format!("match --engine {own}"));
    }
}

#[test]
fn each_overrides_engine_settings_and_keeps_their_other_limits() {
    assert_translates(
        "-each tc=300+5 option.Hash=8 -engine cmd=a nodes=2000000 option.Hash=64 \
         -engine cmd=b -each option.Threads=1",
        "match --engine cmd=a nodes=2000000 tc=300+5 option.Hash=8 option.Threads=1 \
         --engine cmd=b tc=300+5 option.Hash=8 option.Threads=1",
    );
    assert_translates(
        "match --engine cmd=a -each st=1",
        "match --each movetime=1000 --engine cmd=a",
    );
}

#[test]
fn translates_rounds_and_games_to_pairs() {
    let cases = [
        ("-rounds 10", "match --rounds 10"),
        ("-rounds 10 -games 2", "match --rounds 10"),
        ("-rounds 10 -repeat 2", "match --rounds 10"),
        ("-rounds 1 -games 99", "match --rounds 50"),
        ("-rounds 2 -games 99", "match --rounds 99"),
        ("-rounds 5 -games 1", "match --rounds 3"),
        ("-sprt elo0=0 elo1=2", "sprt --rounds 500000 --sprt elo0=0 elo1=2"),
        ("-sprt elo0=0 elo1=2 -games 1", "sprt --rounds 250000 --sprt elo0=0 elo1=2"),
        ("-sprt elo0=-1.5 elo1=5 -rounds 7", "sprt --rounds 7 --sprt elo0=-1.5 elo1=5"),
    ];
    for (line, own) in cases {
        let (words, notes) = translated(line);
        assert_eq!(words, own, "{line}");
        assert_eq!(
            notes.len(),
            usize::from(line.contains("-games 1") || line.contains("1 -games")),
            "{line}: {notes:?}"
        );
    }
    assert_eq!(error("-rounds 25000 -games 3"), "-games: expected 1 or 2 games a round, got `3`");
    assert_eq!(error("-rounds 4 -games 3"), "-games: expected 1 or 2 games a round, got `3`");
    assert_eq!(error("-games 0"), "-games: expected 1 or 2 games a round, got `0`");
}

#[test]
fn notes_replaced_numbers() {
    for (line, pairs, note) in [
        (
            "-rounds 1 -games 200 -repeat",
            "1",
            "-repeat: 2 replaces the earlier 200; the last number counts",
        ),
        (
            "-rounds 1 -repeat -games 200",
            "100",
            "-games: 200 replaces the earlier 2; the last number counts",
        ),
        ("-rounds 1 -rounds 7", "7", "-rounds: 7 replaces the earlier 1; the last number counts"),
    ] {
        let (words, notes) = translated(line);
        assert_eq!(
            (words.as_str(), &notes[0]),
            (format!("match --rounds {pairs}").as_str(), &note.to_owned()),
            "{line}"
        );
    }
    assert_translates("-rounds 7 -games 2 -repeat -rounds 7", "match --rounds 7");
}

#[test]
fn translates_other_options() {
    let cases = [
        (
            "-openings file=b.epd format=epd order=random plies=16 start=4 policy=round",
            "--openings file=b.epd order=random plies=16 start=4",
        ),
        (
            "-resign movecount=3 score=600 twosided=true",
            "--resign movecount=3 score=600 twosided=true",
        ),
        ("-variant kamon -tournament gauntlet -seeds 1", "--variant kamon --format gauntlet"),
        ("-srand 1234", "--seed 1234"),
        // A seed of 64 bits like those of fishtest: 2⁶³ + 2³² + 1.
        ("-srand 9223372041149743105", "--seed 2147483648"),
        ("-seed 7 -ratinginterval 5", "--seed 7 --ratinginterval 5"),
        ("-ratinginterval 0", "--ratinginterval 4294967295"),
        ("-log file=x level=trace engine=true append=false", "--log x"),
        ("-debug -strict -recover -force-concurrency -testEnv", "--verbose --strict"),
        ("-report penta=true -output format=fastchess", ""),
    ];
    for (line, own) in cases {
        assert_translates(line, format!("match {own}").trim_end());
    }
    let cores = std::thread::available_parallelism().unwrap().get();
    assert_translates("-concurrency 0", &format!("match --concurrency {cores}"));
    assert_translates("-concurrency -100000", "match --concurrency 1");
    let quick = format!(
        "match --engine cmd=a tc=10+0.1 --engine cmd=a tc=10+0.1 --rounds 25000 \
         --openings file=b order=random --concurrency {}",
        cores.saturating_sub(2).max(1)
    );
    assert_translates("-quick cmd=a cmd=a book=b", &quick);
}

#[test]
fn notes_that_recover_does_not_apply_to_sprt() {
    for line in ["-recover -sprt elo0=0 elo1=2 -rounds 7", "-rounds 7 -sprt elo0=0 elo1=2 -recover"]
    {
        let (words, notes) = translated(line);
        assert_eq!(words, "sprt --rounds 7 --sprt elo0=0 elo1=2");
        assert!(
            matches!(&notes[..], [note] if note.contains("`--tolerate-faults N`")),
            "{notes:?}"
        );
    }
    assert!(error("-tolerate-faults 3").contains("did you mean `--tolerate-faults`?"));
}

#[test]
fn ignores_options_without_meaning_with_one_note() {
    let ignored = [
        "-draw movenumber=34 movecount=8 score=20",
        "-maxmoves 150",
        "-tb path",
        "-tbpieces 4",
        "-tbignore50",
        "-tbadjudicate BOTH",
        "-pgnout",
        "-pgnout file=x.pgn nodes=true match_line=.*",
        "-epdout file=x",
        "-pgnout x.pgn min",
        "-livepgnout x.pgn",
        "-outcomeinterval 5",
        "-resultformat default",
        "-bookmode ram",
        "-crc32 pgn=true",
        "-event My Event",
        "-site",
        "-scoreinterval 1",
        "-autosaveinterval 0",
        "-wait 100",
        "-noswap",
        "-reverse",
        "-use-affinity",
        "-use-affinity 3,5,7-9",
        "-check-mate-pvs",
        "-show-latency",
        "-startup-ms 1",
        "-ucinewgame-ms 1",
        "-ping-ms 50",
        "-config outname=x.json",
        "-config file=x discard=true",
        "-log file=log.txt level=info",
        "-report penta=false",
        "-output format=cutechess",
        "-openings file=b.pgn format=pgn",
    ];
    for line in ignored {
        let (words, notes) = translated(&format!("{line} {line}"));
        assert!(
            matches!(words.as_str(), "match" | "match --openings file=b.pgn --openings file=b.pgn"),
            "{line}: {words}"
        );
        let option = line.split(' ').next().unwrap();
        assert!(
            matches!(
                notes.as_slice(),
                [note] if note.starts_with(option) && note.contains(" is ignored")
            ),
            "{line}: {notes:?}"
        );
        // OpenBench and fishtest would count these words as faults.
        assert!(
            !["stall", "disconnect", "timeout", "on time"]
                .iter()
                .any(|word| notes[0].contains(word)),
            "{notes:?}"
        );
    }
}

#[test]
fn suggests_nearest_option_or_key() {
    let cases = [
        ("-engne cmd=a", "unknown option `-engne`; did you mean `-engine`?"),
        ("-Rounds 5", "unknown option `-Rounds`; did you mean `-rounds`?"),
        ("-shard 1/4", "unknown option `-shard`; did you mean `--shard`?"),
        ("-into DIR", "unknown option `-into`; did you mean `--into`?"),
        ("-xyzzyx", "unknown option `-xyzzyx`; `basho match --help` lists all"),
        ("-foo", "unknown option `-foo`; `basho match --help` lists all"),
        ("-engine arg=x", "-engine: unknown key `arg`; did you mean `args`?"),
        ("-engine cmd=a node=5", "-engine: unknown key `node`; did you mean `nodes`?"),
        (
            "-engine cmd=a option.=5",
            "-engine: unknown key `option.`; expected one of cmd, name, args,",
        ),
        ("-each path=a -engine cmd=a", "-each: unknown key `path`; "),
        ("-openings fil=a", "-openings: unknown key `fil`; did you mean `file`?"),
        ("-quick cmd=a cmd=b books=c", "-quick: unknown key `books`; did you mean `book`?"),
        ("-log lvel=trace", "-log: unknown key `lvel`; did you mean `level`?"),
        ("-config fil=x", "-config: unknown key `fil`; did you mean `file`?"),
        ("-report pent=true", "-report: unknown key `pent`; did you mean `penta`?"),
        ("-output form=x", "-output: unknown key `form`; did you mean `format`?"),
    ];
    for (line, expected) in cases {
        assert!(error(line).starts_with(expected), "{line}: {}", error(line));
    }
}

#[test]
fn rejects_malformed_values() {
    let cases = [
        ("-engine", "-engine: expected key=value, got nothing"),
        ("-engine cmd", "-engine: expected key=value, got `cmd`"),
        ("-engine cmd= name=x", "-engine: expected key=value, got `cmd=`"),
        ("-engine cmd=a name=", "-engine: expected key=value, got `name=`"),
        (
            "-engine cmd=a -each tc=inf",
            "-each: expected nodes=N, depth=N or st=SECONDS as well, to end the search, \
             got `tc=inf`",
        ),
        (
            "--engine cmd=a",
            "`--engine` stands before a command; expected `basho match --engine …` or",
        ),
        ("-engine =a", "-engine: expected key=value, got `=a`"),
        ("-each tc=1hg", "-each: expected a clock without an hourglass, got `tc=1hg`"),
        ("-each st=0", "-each: expected st=SECONDS, 0.001 or more, got `st=0`"),
        ("-each st=-1", "-each: expected st=SECONDS"),
        ("-each st=nan", "-each: expected st=SECONDS"),
        ("-each st=1e9", "-each: expected st=SECONDS"),
        ("-each restart=true", "-each: expected restart=on or restart=off, got `restart=true`"),
        ("-each proto=xboard", "-each: expected proto=uci, got `proto=xboard`"),
        ("-rounds", "-rounds: expected one value, got nothing"),
        ("-rounds 5 6", "-rounds: expected one value, got `5 6`"),
        ("-rounds 0", "-rounds: expected 1 or more, got `0`"),
        ("-rounds 10junk", "-rounds: expected a number, got `10junk`"),
        ("-rounds 999999999999999999999", "-rounds: expected a number"),
        ("-games two", "-games: expected a number, got `two`"),
        ("-repeat twice", "-repeat: expected a number, got `twice`"),
        ("-concurrency", "-concurrency: expected one value, got nothing"),
        ("-concurrency many", "-concurrency: expected a number, got `many`"),
        ("-recover true", "-recover: expected no value, got `true`"),
        ("-strict 1", "-strict: expected no value, got `1`"),
        ("-srand -1", "-srand: expected a number, got `-1`"),
        ("-seed x", "-seed: expected a number, got `x`"),
        ("-seeds 2", "-seeds: expected 1: the first engine plays the gauntlet, got `2`"),
        ("-ratinginterval x", "-ratinginterval: expected a number, got `x`"),
        ("-openings", "-openings: expected key=value, got nothing"),
        ("-openings file=x format=txt", "-openings: expected format=epd, got `file=x format=txt`"),
        ("-openings file=x policy=encounter", "-openings: expected policy=round"),
        ("-resign 600", "-resign: expected key=value, got `600`"),
        ("-sprt", "-sprt: expected key=value, got nothing"),
        ("-maxmoves", "-maxmoves: expected one value, got nothing"),
        ("-tb", "-tb: expected one value, got nothing"),
        ("-draw 20", "-draw: expected key=value, got `20`"),
        ("-log level", "-log: expected key=value, got `level`"),
        (
            "-log level=verbose",
            "-log: expected level=trace, info, warn, err or fatal, got `level=verbose`",
        ),
        ("-log engine=yes", "-log: expected true or false, got `engine=yes`"),
        ("-report penta=maybe", "-report: expected penta=true, got `penta=maybe`"),
        ("-output format=pgn", "-output: expected format=fastchess, got `format=pgn`"),
        (
            "-config file=c.json",
            "-config: expected `basho resume DIR`, which continues the tournament of a folder, \
             got `file=c.json`",
        ),
        (
            "-quick cmd=a book=b",
            "-quick: expected cmd=ENGINE cmd=ENGINE book=FILE, got `cmd=a book=b`",
        ),
        ("-quick cmd=a cmd=b", "-quick: expected cmd=ENGINE cmd=ENGINE book=FILE"),
        ("-compliance ./oshi", "-compliance: expected `basho check ENGINE`, got `./oshi`"),
        ("-variant", "-variant: expected one value, got nothing"),
        ("-tournament a b", "-tournament: expected one value, got `a b`"),
        ("-help me", "-help: expected no value, got `me`"),
    ];
    for (line, expected) in cases {
        assert!(error(line).starts_with(expected), "{line}: {}", error(line));
    }
}

/// A word of a command line that resembles one of fastchess.
const WORD: &str = "-?-?[a-z]{0,4}(=[ -~\n]{0,6})?\
    |-(engine|each|games|rounds|log|openings|quick|srand|concurrency)\
    |[0-9-]{1,25}";

proptest::proptest! {
    #[test]
    fn never_panics_and_prints_messages_on_one_line(
        words in proptest::collection::vec(WORD, 0..12),
    ) {
        let line = std::iter::once("basho".to_owned()).chain(words).map(OsString::from).collect();
        match translate(line) {
            Ok(Translation { notes, .. }) => assert!(notes.iter().all(|note| !note.contains('\n'))),
            Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        }
    }
}
