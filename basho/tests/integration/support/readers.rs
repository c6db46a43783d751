//! The parsers of other programs for the output of a tournament runner, line by line.

/// Results as OpenBench's worker counts them, game by game (`Client/worker.py`,
/// `run_and_parse_runner` and `update_results`).
#[derive(PartialEq, Eq, Default, Debug)]
pub struct OpenBench {
    /// Losses, draws and wins of the engine that opened the first game.
    pub trinomial: [u32; 3],
    pub pentanomial: [u32; 5],
    pub crashes: u32,
    pub time_losses: u32,
    pub illegals: u32,
}

impl OpenBench {
    pub fn read(stdout: &[u8]) -> OpenBench {
        // As the worker: `.decode('ascii')`, and the first blank line ends the output.
        let text = std::str::from_utf8(stdout).unwrap();
        assert!(text.is_ascii(), "{text}");
        let mut counts = OpenBench::default();
        let mut waiting: Vec<(u64, usize)> = Vec::new();
        for line in text.lines().map(str::trim).take_while(|line| !line.is_empty()) {
            if !line.contains("Finished game") {
                continue;
            }
            let reason = line.split(':').nth(1).unwrap();
            counts.crashes += u32::from(reason.contains("disconnect") || reason.contains("stalls"));
            counts.time_losses += u32::from(reason.contains("on time"));
            counts.illegals += u32::from(reason.contains("illegal"));
            let tokens: Vec<&str> = line.split_whitespace().collect();
            let game: u64 = tokens[2].parse().unwrap();
            let result =
                ["0-1", "1/2-1/2", "1-0"].iter().position(|result| *result == tokens[6]).unwrap();
            let partner = if game % 2 == 1 { game + 1 } else { game - 1 };
            let Some(at) = waiting.iter().position(|(number, _)| *number == partner) else {
                waiting.push((game, result));
                continue;
            };
            let other = waiting.swap_remove(at).1;
            let (first, second) = if game % 2 == 1 { (result, other) } else { (other, result) };
            counts.trinomial[first] += 1;
            counts.trinomial[2 - second] += 1;
            counts.pentanomial[first + 2 - second] += 1;
        }
        assert!(waiting.is_empty(), "games without their partners: {waiting:?}");
        counts
    }
}

/// Results as fishtest's worker counts them, from the standings between the games
/// (`worker/games.py`, `parse_fastchess_output`).
#[derive(PartialEq, Eq, Default, Debug)]
pub struct Fishtest {
    pub pentanomial: [u32; 5],
    /// Wins, losses and draws of the first engine.
    pub wins_losses_draws: [u32; 3],
    pub crashes: u32,
    pub time_losses: u32,
}

impl Fishtest {
    /// Reads both outputs of a match of `games_to_play` games. The worker reports to its server
    /// after every `batch` games.
    pub fn read(stdout: &str, stderr: &str, games_to_play: u32, batch: u32) -> Fishtest {
        let mut result = Fishtest::default();
        let (mut games, mut pairs) = (None, None);
        let (mut updated, mut is_finished) = (0, false);
        for line in stderr.lines().chain(stdout.lines()).map(str::trim) {
            assert!(!line.contains("Warning;"), "taken for an error: {line}");
            if line.contains("Finished match") {
                assert_eq!(updated, games_to_play, "finished uncleanly");
                is_finished = true;
            }
            result.crashes += u32::from(line.contains("disconnect") || line.contains("stall"));
            result.time_losses += u32::from(line.contains("on time") || line.contains("timeout"));
            games = read_games(line).or(games);
            pairs = read_pairs(line).or(pairs);
            if let (Some([played, wins, losses, draws]), Some(counts)) = (games, pairs) {
                result.pentanomial = counts;
                result.wins_losses_draws = [wins, losses, draws];
                assert_eq!(2 * counts.iter().sum::<u32>(), wins + losses + draws, "{line}");
                assert_eq!(played, 2 * counts.iter().sum::<u32>(), "{line}");
                assert!(
                    played <= updated + batch && played <= games_to_play,
                    "{played} games after {updated}"
                );
                (games, pairs) = (None, None);
                if played == updated + batch || played == games_to_play {
                    updated = played;
                }
            }
        }
        assert!(is_finished, "never finished: {stdout}");
        result
    }
}

/// `Games: ([0-9]+), Wins: ([0-9]+), Losses: ([0-9]+), Draws: ([0-9]+), Points: ([0-9.]+) \(`.
fn read_games(line: &str) -> Option<[u32; 4]> {
    let mut rest = line.split_once("Games: ")?.1;
    let mut counts = [0; 4];
    for (count, end) in counts.iter_mut().zip([", Wins: ", ", Losses: ", ", Draws: ", ", Points: "])
    {
        let (number, after) = rest.split_once(end)?;
        *count = number.parse().ok()?;
        rest = after;
    }
    let points = rest.split_once(" (")?.0;
    points.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.').then_some(counts)
}

/// `Ptnml\(0-2\): \[([0-9]+), ([0-9]+), ([0-9]+), ([0-9]+), ([0-9]+)\]`.
fn read_pairs(line: &str) -> Option<[u32; 5]> {
    let counts = line.split_once("Ptnml(0-2): [")?.1.split_once(']')?.0;
    let counts: Option<Vec<u32>> = counts.split(", ").map(|count| count.parse().ok()).collect();
    counts?.try_into().ok()
}
