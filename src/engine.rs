//! The engine: obeys the commands of `protocol.md` and answers them.
//!
//! One queue carries all that happens: lines of input from a reading thread, and what the thinking thread says. So the loop
//! never waits for a search, and whatever a line holds gets its answer in order.
#![deny(clippy::expect_used, clippy::indexing_slicing, clippy::unwrap_used, clippy::panic)]

mod bench;
mod events;
mod input;
mod log;
mod options;
mod report;
mod strength;
mod table;

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, BufRead, ErrorKind, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use tracing::debug;

use crate::game::{Outcome, Player};
use crate::games::{PositionError, visit_position};
use crate::protocol::{Command, CommandError, GameResult, Go, OptionError, Query, Reply, Response, Start};
use crate::search::Control;
use events::{Event, spawn_reader, spawn_thinker};
pub use input::{LONGEST_LINE, LineError};
pub use log::Log;
use options::{Effect, Options};
use table::{Manner, PlayError, SearchError, SetUp, Table};

/// Events that may wait in the queue; whoever adds more waits.
const QUEUE: usize = 256;

/// The longest message of an error line, in characters.
const LONGEST_MESSAGE: usize = 500;

/// A running engine: the table, the options, and the thinking under way.
pub struct Engine<W> {
    output: W,
    log: Log,
    options: Options,
    table: Box<dyn Table>,
    thinking: Option<Thinking>,
    /// Whether the last introduction asked for was `ugi`.
    speaks_ugi: bool,
    events: Receiver<Event>,
    sender: SyncSender<Event>,
    /// Events taken from the queue before their time.
    backlog: VecDeque<Event>,
}

/// A search, perft or bench under way, or a search that is done but whose answer is held back.
#[derive(Default)]
struct Thinking {
    control: Arc<Control>,
    /// Whether no limit was given that ends it.
    unlimited: bool,
    /// Until `stop`, the answer is held back.
    infinite: bool,
    /// Until `ponderhit` or `stop`, the answer is held back.
    pondering: bool,
    /// What is held back.
    answer: Option<Reply>,
}

/// Whether more commands are to be obeyed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flow {
    Continue,
    Quit,
}

/// Why a line is not obeyed. Nothing has changed.
#[derive(Debug, thiserror::Error)]
enum Complaint {
    #[error(transparent)]
    Line(#[from] LineError),
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error(transparent)]
    Position(#[from] PositionError),
    #[error(transparent)]
    Play(#[from] PlayError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error("no thread to think on: {0}")]
    Thread(io::Error),
    #[error("cannot log to the file: {0}")]
    Log(io::Error),
    #[error("`{0}` while thinking: expected `stop` first")]
    Thinking(&'static str),
    #[error("`{0}` while idle: expected a search under way")]
    Idle(&'static str),
    #[error("`ponderhit` in a search that does not ponder: expected `go ponder` before")]
    NotPondering,
}

/// What ends the obeying of a command.
enum Trouble {
    Complaint(Complaint),
    /// The output fails.
    Output(io::Error),
}

impl<C: Into<Complaint>> From<C> for Trouble {
    fn from(complaint: C) -> Trouble {
        Trouble::Complaint(complaint.into())
    }
}

impl<W: Write> Engine<W> {
    /// An engine that answers on `output`, set to the start of the default variant.
    pub fn new(output: W, log: Log) -> Engine<W> {
        let options = Options::new();
        let table = start_table(&options);
        let (sender, events) = sync_channel(QUEUE);
        Engine { output, log, options, table, thinking: None, speaks_ugi: false, events, sender, backlog: VecDeque::new() }
    }

    /// Obeys the lines of the input as they come, up to `quit` or the end. At the end of the input a search that has limits is
    /// waited for, any other is stopped.
    ///
    /// # Errors
    /// What the output fails with, unless it was closed: that ends the engine without complaint.
    pub fn run(mut self, input: impl BufRead + Send + 'static) -> io::Result<()> {
        spawn_reader(input, self.sender.clone())?;
        quietly(self.listen())
    }

    /// Obeys these lines one after another, up to `quit` or the last, and waits for each search as at the end of an input.
    ///
    /// # Errors
    /// As for [`run`](Engine::run).
    pub fn run_commands(mut self, lines: impl IntoIterator<Item = String>) -> io::Result<()> {
        for line in lines {
            let flow = self.obey_line(&line).and_then(|flow| match flow {
                Flow::Continue => self.finish_thinking().map(|()| flow),
                Flow::Quit => Ok(flow),
            });
            match flow {
                Ok(Flow::Continue) => {}
                other => return quietly(other.map(|_| ())),
            }
        }
        Ok(())
    }

    fn listen(&mut self) -> io::Result<()> {
        // The queue lasts as long as the engine, which holds a sender.
        while let Some(event) = self.backlog.pop_front().or_else(|| self.events.recv().ok()) {
            let flow = match event {
                Event::EndOfInput => return self.finish_thinking(),
                event => self.react(event)?,
            };
            if flow == Flow::Quit {
                break;
            }
        }
        Ok(())
    }

    /// Waits until all thinking is done, and stops what would not end by itself.
    fn finish_thinking(&mut self) -> io::Result<()> {
        match &self.thinking {
            Some(thinking) if thinking.unlimited || thinking.is_held_back() => self.stop(),
            _ => self.wait_for_answer(),
        }
    }

    /// Leaves the input alone until the thinking is done.
    fn wait_for_answer(&mut self) -> io::Result<()> {
        while self.thinking.is_some()
            && let Ok(event) = self.events.recv()
        {
            match event {
                Event::Say(_) | Event::Done(_) => drop(self.react(event)?),
                Event::Line(_) | Event::EndOfInput => self.backlog.push_back(event),
            }
        }
        Ok(())
    }

    fn react(&mut self, event: Event) -> io::Result<Flow> {
        match event {
            Event::Line(Ok(line)) => return self.obey_line(&line),
            Event::Line(Err(error)) => self.complain(&error.into())?,
            Event::EndOfInput => {}
            Event::Say(replies) => self.say(replies)?,
            Event::Done(answer) => {
                self.table.end_search();
                if let Some(thinking) = &mut self.thinking {
                    thinking.answer = answer;
                    if !thinking.is_held_back() {
                        self.conclude()?;
                    }
                }
            }
        }
        Ok(Flow::Continue)
    }

    fn obey_line(&mut self, line: &str) -> io::Result<Flow> {
        debug!("> {line}");
        let trouble = match Command::parse(line) {
            Ok(None) => return Ok(Flow::Continue),
            Ok(Some(Command::Quit)) => return Ok(Flow::Quit),
            Ok(Some(command)) => self.obey(command),
            Err(error) => Err(error.into()),
        };
        match trouble {
            Ok(()) => {}
            Err(Trouble::Output(error)) => return Err(error),
            Err(Trouble::Complaint(complaint)) => {
                self.complain(&complaint)?;
                // Whoever says `go` waits for a `bestmove`.
                if self.thinking.is_none() && line.split_whitespace().next() == Some("go") {
                    self.say([Reply::BestMove { best: None, ponder: None }])?;
                }
            }
        }
        Ok(Flow::Continue)
    }

    fn obey(&mut self, command: Command) -> Result<(), Trouble> {
        if self.thinking.is_some() && !may_be_obeyed_while_thinking(&command) {
            return Err(Complaint::Thinking(command.word()).into());
        }
        match command {
            Command::Uci => self.introduce(false),
            Command::Ugi => self.introduce(true),
            Command::Debug(on) => {
                self.log.set_debug(on);
                Ok(())
            }
            Command::IsReady => {
                if self.thinking.is_none() {
                    self.table.prepare(self.options.values().search_settings());
                }
                self.reply(Reply::ReadyOk)
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::UciNewGame | Command::UgiNewGame => {
                self.table.clear();
                Ok(())
            }
            Command::Position { start, moves } => self.set_up(&start, &moves),
            Command::Moves(moves) => Ok(self.table.play(&moves)?),
            Command::Refill(side) => Ok(self.table.play(&[side.word().to_owned()])?),
            Command::Go(go) => self.search(&go),
            Command::Perft(depth) => {
                let thinking = Thinking::default();
                self.table.begin_perft(depth, Arc::clone(&thinking.control), self.sender.clone()).map_err(Complaint::Thread)?;
                self.thinking = Some(thinking);
                Ok(())
            }
            Command::Bench => self.bench(),
            Command::Stop if self.thinking.is_none() => Err(Complaint::Idle("stop").into()),
            Command::Stop => self.stop().map_err(Trouble::Output),
            Command::PonderHit => self.ponder_hit(),
            Command::Query(query) => self.reply(Reply::Response(self.respond(query))),
            Command::Display => self.show(&self.table.board()),
            Command::Svg => self.show(&self.table.svg()),
            Command::Eval => self.reply(self.table.estimate()),
            Command::Help => self.help(),
            // The caller has seen to it.
            Command::Quit => Ok(()),
        }
    }

    fn introduce(&mut self, ugi: bool) -> Result<(), Trouble> {
        self.speaks_ugi = ugi;
        let mut replies = vec![
            Reply::Name(concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")).to_owned()),
            Reply::Author("the oshi project".to_owned()),
        ];
        replies.extend(self.options.listing().map(|(line, _)| Reply::Option(line.clone())));
        replies.push(if ugi { Reply::UgiOk } else { Reply::UciOk });
        self.say(replies).map_err(Trouble::Output)
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), Trouble> {
        match self.options.set(name, value)? {
            Effect::None => {}
            Effect::SetUpStart => self.seat(start_table(&self.options)),
            Effect::ClearHash => self.table.clear(),
            Effect::OpenLog(path) => self.log.open(&path).map_err(Complaint::Log)?,
        }
        Ok(())
    }

    fn set_up(&mut self, start: &Start, moves: &[String]) -> Result<(), Trouble> {
        let values = self.options.values();
        let mut table = match start {
            Start::StartPos => start_table(&self.options),
            Start::Random(seed) => values.variant.visit_start(values.layout, SetUp { seed: Some(*seed) }),
            Start::Fen(line) => visit_position(line, SetUp { seed: None })?,
        };
        table.play(moves)?;
        self.seat(table);
        Ok(())
    }

    fn seat(&mut self, table: Box<dyn Table>) {
        let before = std::mem::replace(&mut self.table, table);
        self.table.adopt(before);
    }

    fn search(&mut self, go: &Go) -> Result<(), Trouble> {
        let control = Arc::new(Control::new(go.ponder));
        let manner = Manner {
            values: self.options.values(),
            with_ponder: !self.speaks_ugi,
            control: Arc::clone(&control),
            events: self.sender.clone(),
        };
        let unlimited = self.table.begin_search(go, manner)?;
        self.thinking = Some(Thinking { control, unlimited, infinite: go.infinite, pondering: go.ponder, answer: None });
        Ok(())
    }

    fn bench(&mut self) -> Result<(), Trouble> {
        let thinking = Thinking::default();
        let control = Arc::clone(&thinking.control);
        spawn_thinker(self.sender.clone(), move |say| (bench::run(&control, say), None)).map_err(Complaint::Thread)?;
        self.thinking = Some(thinking);
        Ok(())
    }

    /// Ends the thinking and waits for the answer, so that what comes next finds the engine idle.
    fn stop(&mut self) -> io::Result<()> {
        if let Some(thinking) = &mut self.thinking {
            thinking.control.stop();
            thinking.infinite = false;
            thinking.pondering = false;
        }
        self.conclude_if_answered()?;
        self.wait_for_answer()
    }

    fn ponder_hit(&mut self) -> Result<(), Trouble> {
        match &mut self.thinking {
            None => return Err(Complaint::Idle("ponderhit").into()),
            Some(thinking) if !thinking.pondering => return Err(Complaint::NotPondering.into()),
            Some(thinking) => {
                thinking.control.ponder_hit();
                thinking.pondering = false;
            }
        }
        self.conclude_if_answered().map_err(Trouble::Output)
    }

    /// Ends a search that was done before its answer was due.
    fn conclude_if_answered(&mut self) -> io::Result<()> {
        match &self.thinking {
            Some(thinking) if thinking.answer.is_some() && !thinking.is_held_back() => self.conclude(),
            _ => Ok(()),
        }
    }

    fn conclude(&mut self) -> io::Result<()> {
        let answer = self.thinking.take().and_then(|thinking| thinking.answer);
        self.say(answer)
    }

    fn respond(&self, query: Query) -> Response {
        let outcome = self.table.outcome();
        match query {
            Query::GameOver => Response::Bool(outcome.is_some()),
            Query::P1Turn => Response::Bool(self.table.turn() == Player::Black),
            Query::Result => Response::Result(match outcome {
                None => GameResult::None,
                Some(Outcome::Win(Player::Black)) => GameResult::P1Win,
                Some(Outcome::Win(Player::White)) => GameResult::P2Win,
                Some(Outcome::Draw) => GameResult::Draw,
            }),
        }
    }

    /// Says the lines of a text.
    fn show(&mut self, text: &str) -> Result<(), Trouble> {
        self.say(text.lines().map(|line| Reply::Other(line.to_owned()))).map_err(Trouble::Output)
    }

    fn help(&mut self) -> Result<(), Trouble> {
        let commands = Command::FORMS.map(|(form, meaning)| format!("{form:<56} {meaning}"));
        let options = self.options.listing().map(|(line, help)| format!("{:<56} {help}", line.name));
        let lines = commands.into_iter().chain(["".to_owned(), "Options:".to_owned()]).chain(options);
        let replies: Vec<Reply> = lines.map(Reply::Other).collect();
        self.say(replies).map_err(Trouble::Output)
    }

    /// One line, whatever the message holds.
    fn complain(&mut self, complaint: &Complaint) -> io::Result<()> {
        let message = complaint.to_string();
        let message = message.chars().take(LONGEST_MESSAGE).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c });
        self.say([Reply::remark(format!("error: {}", message.collect::<String>()))])
    }

    fn reply(&mut self, reply: Reply) -> Result<(), Trouble> {
        self.say([reply]).map_err(Trouble::Output)
    }

    fn say(&mut self, replies: impl IntoIterator<Item = Reply>) -> io::Result<()> {
        let mut text = String::new();
        for reply in replies {
            debug!("< {reply}");
            let _ = writeln!(text, "{reply}");
        }
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }
}

impl Thinking {
    const fn is_held_back(&self) -> bool {
        self.infinite || self.pondering
    }
}

/// The table of `position startpos`.
fn start_table(options: &Options) -> Box<dyn Table> {
    let values = options.values();
    values.variant.visit_start(values.layout, SetUp { seed: None })
}

/// What does not change what a search under way is about.
const fn may_be_obeyed_while_thinking(command: &Command) -> bool {
    !matches!(
        command,
        Command::SetOption { .. }
            | Command::UciNewGame
            | Command::UgiNewGame
            | Command::Position { .. }
            | Command::Moves(_)
            | Command::Refill(_)
            | Command::Go(_)
            | Command::Perft(_)
            | Command::Bench
    )
}

/// A closed output is how a GUI may say that it has left.
fn quietly(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
