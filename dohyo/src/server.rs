//! The server: what is served at which address, and the headers of every answer.

use std::io::{self, BufReader, ErrorKind, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use axum::Router;
use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use oshi::engine::Engine;
use rust_embed::RustEmbed;
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tracing::info;

use crate::arguments::Options;
use crate::guard::Guard;
use crate::hall::Hall;
use crate::signals::Signals;
use crate::{message, socket};

/// The page. A build with debug assertions reads it from the folder, so that a change is seen at the next reload.
#[derive(RustEmbed)]
#[folder = "web/"]
struct Page;

/// Nothing but the page's own scripts and styles runs, and nothing is sent elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The headers of every answer.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// How many ports are tried if none is named.
const PORTS: u16 = 100;

/// How long the end of the program waits for answers that are on their way.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Timeout for cancelled work at the end of the program.
const LAST_WORK: Duration = Duration::from_secs(1);

/// Room in the write buffer for frame headers and answers to pings.
const WRITE_MARGIN: usize = 1 << 20;

/// What every request can reach.
struct House {
    guard: Guard,
    hall: Arc<Hall>,
}

/// The engine that comes with the program, on standard input and output.
pub fn think() -> ExitCode {
    let run = || Engine::of_program()?.run(BufReader::new(io::stdin()));
    end(run().map_err(anyhow::Error::from))
}

/// Prints the help or the version.
pub fn say(answer: &clap::Error) -> ExitCode {
    end(if_read(answer.print()).context("cannot print it"))
}

/// What was printed, unless nobody reads it: whoever started the program with a pipe may have closed it.
fn if_read(printed: io::Result<()>) -> io::Result<()> {
    printed.or_else(|error| if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}

/// Serves the page until it is interrupted.
pub fn run(options: Options) -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_max_level(tracing::Level::WARN)
        .with_target(false)
        .init();
    end(serve(options))
}

fn end(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If nobody reads it, that is not a second error.
            let _ = writeln!(io::stderr(), "Error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn serve(options: Options) -> anyhow::Result<()> {
    let runtime = Runtime::new().context("cannot start the server's threads")?;
    let signals = Signals::watch().context("cannot wait for signals")?;
    let (listener, port) = runtime.block_on(listen(options.port))?;
    let opens = options.opens;
    let hall = {
        let _within = runtime.enter();
        Hall::open(options)?
    };
    let served = runtime.block_on(serve_page(Arc::clone(&hall), listener, port, opens, signals));
    // Work that ignores its cancellation must not keep the program alive.
    runtime.shutdown_timeout(LAST_WORK);
    let finished = hall.finish();
    served?;
    Ok(finished?)
}

async fn serve_page(
    hall: Arc<Hall>,
    listener: TcpListener,
    port: u16,
    opens: bool,
    signals: Signals,
) -> anyhow::Result<()> {
    let guard = Guard::new(hall.data(), port)
        .with_context(|| format!("cannot keep the token in `{}`", hall.data().display()))?;
    let address = guard.address();
    let house = Arc::new(House { guard, hall: Arc::clone(&hall) });
    let router = Router::new()
        .route("/ws", get(open_socket))
        .fallback(get(page))
        .layer(middleware::from_fn_with_state(Arc::clone(&house), admit))
        .with_state(house);
    if_read(writeln!(io::stdout(), "{address}").and_then(|()| io::stdout().flush()))
        .context("cannot print the address")?;
    if opens && let Err(error) = open::that_detached(&address) {
        info!("no browser could be opened: {error}");
    }
    let (ending, ended) = oneshot::channel::<()>();
    let stop = async move {
        signals.first().await;
        // The engines' threads end by themselves; waiting for them must not hold up the others.
        let _ = tokio::task::spawn_blocking(move || hall.close()).await;
        drop(ending);
    };
    // Whoever has sent half of a request may never send the rest.
    let overdue = async {
        let _ = ended.await;
        tokio::time::sleep(LAST_ANSWERS).await;
    };
    // A message is small, and a person waits for it.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    tokio::select! {
        served = axum::serve(listener, router).with_graceful_shutdown(stop) => served.context("the server has failed"),
        () = overdue => Ok(()),
    }
}

/// Binds to a port of this machine alone; to the next one that is free, if the port was not named.
async fn listen((first, is_named): (u16, bool)) -> anyhow::Result<(TcpListener, u16)> {
    let last = if is_named { first } else { first.saturating_add(PORTS - 1) };
    for port in first..=last {
        match TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await {
            Ok(listener) => {
                let port = listener.local_addr()?.port();
                return Ok((listener, port));
            }
            Err(error) if error.kind() == ErrorKind::AddrInUse => {}
            Err(error) => {
                return Err(error).with_context(|| format!("cannot listen at port {port}"));
            }
        }
    }
    let which = if first == last {
        format!("port {first} is")
    } else {
        format!("all ports from {first} to {last} are")
    };
    bail!("{which} in use; expected a free one (`--port N`)")
}

/// Keeps strangers out, and sets the headers of every answer.
async fn admit(State(house): State<Arc<House>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let is_socket = request.uri().path() == "/ws";
    let checked = house.guard.check_source(headers, is_socket).and_then(|()| {
        match offered_token(request.uri()) {
            Some(token) if request.uri().path() == "/" && house.guard.knows(&token) => Ok(true),
            _ => house.guard.check_token(headers).map(|()| false),
        }
    });
    let mut response = match checked {
        Err(refusal) => (StatusCode::FORBIDDEN, format!("{refusal}\n")).into_response(),
        // Without the token in the address, it is neither seen nor kept in the history.
        Ok(true) => {
            let headers =
                [(header::SET_COOKIE, house.guard.cookie()), (header::LOCATION, "/".to_owned())];
            (StatusCode::SEE_OTHER, headers).into_response()
        }
        Ok(false) => next.run(request).await,
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

#[derive(Deserialize)]
struct Offer {
    token: String,
}

fn offered_token(uri: &Uri) -> Option<String> {
    Query::<Offer>::try_from_uri(uri).ok().map(|Query(offer)| offer.token)
}

async fn open_socket(State(house): State<Arc<House>>, upgrade: WebSocketUpgrade) -> Response {
    let hall = Arc::clone(&house.hall);
    let bounded = upgrade
        .max_message_size(message::LONGEST_READ)
        .max_frame_size(message::LONGEST_READ)
        .max_write_buffer_size(message::LONGEST_SENT + WRITE_MARGIN);
    bounded.on_upgrade(move |socket| socket::talk(socket, hall))
}

/// A file of the page.
async fn page(uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let kind = match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    };
    let file = if path == "board.js" {
        Some(oshi::draw::BOARD_SCRIPT.as_bytes().into())
    } else {
        Page::get(path).map(|file| file.data)
    };
    match file {
        // Another build has another page at the same address.
        Some(file) => {
            let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")];
            (headers, Body::from(file.into_owned())).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
