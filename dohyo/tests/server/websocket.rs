//! The connection: invalid frames, clients that do not read, and small messages for small changes.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Server, TIMEOUT, person};

const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const FINAL: u8 = 0x80;

/// Returns a client's frame with a zero mask. `first` is its first byte.
fn frame(first: u8, data: &[u8]) -> Vec<u8> {
    let mut frame = head(first, data.len() as u64);
    frame.extend(data);
    frame
}

/// Returns the header of a masked frame of this length.
fn head(first: u8, length: u64) -> Vec<u8> {
    let mut head = vec![first];
    match length {
        0..126 => head.push(0x80 | length as u8),
        126..0x1_0000 => {
            head.push(0x80 | 126);
            head.extend((length as u16).to_be_bytes());
        }
        _ => {
            head.push(0x80 | 127);
            head.extend(length.to_be_bytes());
        }
    }
    head.extend([0; 4]);
    head
}

/// Opens a socket without a WebSocket client.
fn connect(server: &Server) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let host = format!("127.0.0.1:{}", server.port);
    write!(
        stream,
        "GET /ws HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {}\r\n\
         Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        server.cookie()
    )
    .unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        answer.extend(byte);
    }
    assert!(answer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&answer));
    stream
}

/// Returns the code and the reason of the server's close frame.
fn close_frame(stream: &mut TcpStream) -> (u16, String) {
    loop {
        let mut head = [0; 2];
        stream.read_exact(&mut head).expect("a frame that closes the socket");
        let mut data = vec![0; usize::from(head[1])];
        stream.read_exact(&mut data).unwrap();
        if head[0] == FINAL | CLOSE {
            return (
                u16::from_be_bytes([data[0], data[1]]),
                String::from_utf8(data[2..].to_vec()).unwrap(),
            );
        }
    }
}

#[test]
fn close_code_names_the_fault() {
    let server = Server::start(&[]);
    let unmasked = [&[FINAL | TEXT, 2][..], b"{}"].concat();
    let in_two = [frame(TEXT, b"\xc3"), frame(FINAL, b"(")].concat();
    for (name, bytes, code, words) in [
        ("binary data", frame(FINAL | BINARY, b"{}"), 1003, "expected JSON text"),
        ("empty binary data", frame(FINAL | BINARY, b""), 1003, "expected JSON text"),
        ("text that is not UTF-8", frame(FINAL | TEXT, b"\xff\xfe"), 1007, "expected UTF-8"),
        ("text that is not UTF-8, in two frames", in_two, 1007, "expected UTF-8"),
        ("a reserved bit", frame(FINAL | 0x40 | TEXT, b"{}"), 1002, "expected frames"),
        ("no mask", unmasked, 1002, "expected frames"),
        ("an unknown kind of data", frame(FINAL | 3, b"{}"), 1002, "expected frames"),
        ("an unknown control frame", frame(FINAL | 11, b""), 1002, "expected frames"),
        ("a continuation of nothing", frame(FINAL, b"{}"), 1002, "expected frames"),
        ("a ping in pieces", frame(PING, b""), 1002, "expected frames"),
        ("a long ping", frame(FINAL | PING, &[0; 126]), 1002, "expected frames"),
        (
            "a message of 64 MiB and a byte",
            head(FINAL | TEXT, (64 << 20) + 1),
            1009,
            "at most 67108864 bytes",
        ),
    ] {
        let mut stream = connect(&server);
        stream.write_all(&bytes).unwrap();
        let (found, reason) = close_frame(&mut stream);
        assert_eq!(found, code, "{name}: {reason}");
        assert!(reason.contains(words), "{name}: {reason}");
    }
    server.tab().new_game("kamon", [person(), person()]);
}

#[test]
fn answers_a_ping_with_its_data() {
    let server = Server::start(&[]);
    let mut stream = connect(&server);
    stream.write_all(&frame(FINAL | PING, b"still there?")).unwrap();
    let mut pong = [0; 14];
    stream.read_exact(&mut pong).unwrap();
    assert_eq!(&pong[2..], b"still there?");
}

#[cfg(target_os = "linux")]
#[test]
fn bounds_memory_when_pongs_are_not_read() {
    const MOST: usize = 64 << 20;
    let server = Server::start(&[]);
    let mut stream = connect(&server);
    let before = server.resident();
    let pings = frame(FINAL | PING, &[b'x'; 125]).repeat(500);
    // A blocked write shows backpressure: the server waits until its pongs are read.
    stream.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    let mut sent = 0;
    while sent < MOST && stream.write_all(&pings).is_ok() {
        sent += pings.len();
    }
    let after = server.resident();
    assert!(after < before + 20_000, "{before} kB before, {after} kB after {sent} bytes of pings");
    server.tab().new_game("kamon", [person(), person()]);
}

#[test]
fn disconnects_a_client_that_does_not_read() {
    let server = Server::start(&[]);
    let mut stream = connect(&server);
    let hello = frame(FINAL | TEXT, br#"{"do":"hello","lang":"en"}"#).repeat(100);
    stream.set_nonblocking(true).unwrap();
    let begun = Instant::now();
    loop {
        match stream.write(&hello) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(50))
            }
            Err(error) => {
                assert!(
                    matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe),
                    "{error}"
                );
                break;
            }
        }
        assert!(begun.elapsed() < TIMEOUT, "the client is still connected");
    }
}

/// Returns the list messages up to the one with a game of Kamon.
fn until_kamon(tab: &mut crate::support::Tab) -> Vec<Value> {
    let mut heard = Vec::new();
    loop {
        let message = tab.until(|message| message["is"] == "games");
        if message["games"][0]["variant"] == "kamon" {
            return heard;
        }
        heard.push(message);
    }
}

#[test]
fn sends_only_changed_games_of_the_list() {
    let server = Server::start(&[]);
    let mut first = server.tab();
    let games: Vec<Value> = (0..30)
        .map(|_| first.new_game("kamisado-simple", [person(), person()])["id"].clone())
        .collect();
    let mut second = server.tab();
    assert_eq!(
        (second.games["games"].as_array().unwrap().len(), &second.games["whole"]),
        (30, &json!(true))
    );
    for game in &games[..20] {
        first.ask(json!({"do": "delete", "game": game}));
    }
    first.ask(json!({"do": "resign", "game": games[20]}));
    first.ask(json!({"do": "import", "text": "position startpos moves a1a5\n".repeat(7)}));
    first.new_game("kamon", [person(), person()]);
    let heard = until_kamon(&mut second);
    assert_eq!(heard.len(), 22, "{heard:?}");
    for (message, game) in heard.iter().zip(&games[..20]) {
        assert_eq!(
            (&message["whole"], &message["games"], &message["gone"]),
            (&json!(false), &json!([]), &json!([game]))
        );
    }
    let entry = &heard[20]["games"][0];
    assert_eq!(
        (&entry["id"], &entry["state"], &entry["result"]),
        (&games[20], &json!("over"), &json!("0-1"))
    );
    assert_eq!(heard[21]["games"].as_array().unwrap().len(), 7);
    let again = second.ask(json!({"do": "games"}));
    assert_eq!((again["games"].as_array().unwrap().len(), &again["whole"]), (18, &json!(true)));
}
