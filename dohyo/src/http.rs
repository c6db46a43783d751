//! The HTTP server: routes, access control, response headers, start and shutdown.

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
use dohyo_core::lobby::Lobby;
use dohyo_core::message::{MAX_READ_BYTES, MAX_REPLY_BYTES};
use oshi::engine::Engine;
use rust_embed::RustEmbed;
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::oneshot;
use tracing::info;

use crate::arguments::Options;
use crate::guard::Guard;
use crate::server;
use crate::signals::Signals;
use crate::socket;

/// Files of the page. A build with debug assertions reads them from the folder at every request.
#[derive(RustEmbed)]
#[folder = "web/"]
struct Page;

/// Content policy: only files of this server are loaded, and nothing is sent to another one.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// Headers of every response.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Number of ports to try if none is given.
const TRIED_PORTS: u16 = 100;

/// Time for pending responses at shutdown.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Time for cancelled work at shutdown.
const WORK_TIMEOUT: Duration = Duration::from_secs(1);

/// Size of the write buffer beyond the longest reply, for frame headers and pongs.
const WRITE_MARGIN: usize = 1 << 20;

/// State shared by all requests.
struct AppState {
    guard: Guard,
    lobby: Arc<Lobby>,
}

/// Runs the built-in engine on standard input and output.
pub fn run_engine() -> ExitCode {
    let run = || Engine::stdio()?.run(BufReader::new(io::stdin()));
    end(run().map_err(anyhow::Error::from))
}

/// Prints the help or the version.
pub fn print_message(message: &clap::Error) -> ExitCode {
    end(ignore_broken_pipe(message.print()).context("cannot print the message"))
}

/// Ignores a broken pipe: the reader of the output may have closed it.
fn ignore_broken_pipe(printed: io::Result<()>) -> io::Result<()> {
    printed.or_else(|error| if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}

/// Serves the page until a signal arrives.
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
            // A broken stderr is not a second error.
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
    let (lobby, data) = {
        let _within = runtime.enter();
        server::open(options)?
    };
    let guard = Guard::new(&data, port)
        .with_context(|| format!("cannot save the token in `{}`", data.display()))?;
    let served = runtime.block_on(serve_page(Arc::clone(&lobby), guard, listener, opens, signals));
    // Work that ignores its cancellation must not keep the program alive.
    runtime.shutdown_timeout(WORK_TIMEOUT);
    let finished = lobby.finish();
    served?;
    Ok(finished?)
}

async fn serve_page(
    lobby: Arc<Lobby>,
    guard: Guard,
    listener: TcpListener,
    opens: bool,
    signals: Signals,
) -> anyhow::Result<()> {
    let address = guard.address();
    let state = Arc::new(AppState { guard, lobby: Arc::clone(&lobby) });
    let router = Router::new()
        .route("/ws", get(open_socket))
        .fallback(get(page))
        .layer(middleware::from_fn_with_state(Arc::clone(&state), authorize))
        .with_state(state);
    ignore_broken_pipe(writeln!(io::stdout(), "{address}").and_then(|()| io::stdout().flush()))
        .context("cannot print the address")?;
    if opens && let Err(error) = open::that_detached(&address) {
        info!("cannot open a browser: {error}");
    }
    let (ending, ended) = oneshot::channel::<()>();
    let stop = async move {
        signals.first().await;
        // Engine threads end on their own. The runtime must not wait for them.
        let close = move || Handle::current().block_on(lobby.close());
        let _ = tokio::task::spawn_blocking(close).await;
        drop(ending);
    };
    // A client may never send the rest of a started request.
    let overdue = async {
        let _ = ended.await;
        tokio::time::sleep(RESPONSE_TIMEOUT).await;
    };
    // Messages are small and a person waits for them, so they are sent without delay.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    tokio::select! {
        served = axum::serve(listener, router).with_graceful_shutdown(stop) => {
            served.context("the server has failed")
        }
        () = overdue => Ok(()),
    }
}

/// Binds to a port of the loopback interface. Tries the next ones if no port was given.
async fn listen((first, is_named): (u16, bool)) -> anyhow::Result<(TcpListener, u16)> {
    let last = if is_named { first } else { first.saturating_add(TRIED_PORTS - 1) };
    for port in first..=last {
        match TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await {
            Ok(listener) => {
                let port = listener.local_addr()?.port();
                return Ok((listener, port));
            }
            Err(error) if error.kind() == ErrorKind::AddrInUse => {}
            Err(error) => {
                return Err(error).with_context(|| format!("cannot listen on port {port}"));
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

/// Checks the access of a request and sets the headers of every response.
async fn authorize(State(state): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let is_socket = request.uri().path() == "/ws";
    let checked = state.guard.check_source(headers, is_socket).and_then(|()| {
        match offered_token(request.uri()) {
            Some(token) if request.uri().path() == "/" && state.guard.is_token(&token) => Ok(true),
            _ => state.guard.check_token(headers).map(|()| false),
        }
    });
    let mut response = match checked {
        Err(error) => (StatusCode::FORBIDDEN, format!("{error}\n")).into_response(),
        // The redirect keeps the token out of the address bar and the history.
        Ok(true) => {
            let headers =
                [(header::SET_COOKIE, state.guard.cookie()), (header::LOCATION, "/".to_owned())];
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
struct TokenQuery {
    token: String,
}

fn offered_token(uri: &Uri) -> Option<String> {
    Query::<TokenQuery>::try_from_uri(uri).ok().map(|Query(query)| query.token)
}

async fn open_socket(State(state): State<Arc<AppState>>, upgrade: WebSocketUpgrade) -> Response {
    let lobby = Arc::clone(&state.lobby);
    let bounded = upgrade
        .max_message_size(MAX_READ_BYTES)
        .max_frame_size(MAX_READ_BYTES)
        .max_write_buffer_size(MAX_REPLY_BYTES + WRITE_MARGIN);
    bounded.on_upgrade(move |socket| socket::serve(socket, lobby))
}

/// Returns a file of the page.
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
        // Another build may have another page at the same address.
        Some(file) => {
            let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")];
            (headers, Body::from(file.into_owned())).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
