//! Access by other pages and programs, and by manipulated pages.

use std::io::Write;
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::support::{Server, engine, person};

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

#[test]
fn rejects_wrong_host_foreign_origin_and_no_token() {
    let server = Server::start(&[]);
    let host = format!("Host: 127.0.0.1:{}", server.port);
    let local = format!("Host: localhost:{}", server.port);
    let cookie = format!("Cookie: {}", server.cookie());
    let origin = format!("Origin: http://127.0.0.1:{}", server.port);
    let with_token = format!("/?token={}", server.token);
    for (path, headers, expected) in [
        ("/", vec![&*host, &cookie], "200"),
        ("/", vec![&local, &cookie], "200"),
        ("/", vec![&host, &cookie, &origin], "200"),
        ("/", vec![&host, &format!("Cookie: name=José; {}", server.cookie())], "200"),
        ("/", vec![&host, "Cookie: name=José", &cookie], "200"),
        ("/nowhere", vec![&host, &cookie], "404"),
        ("/../Cargo.toml", vec![&host, &cookie], "404"),
        (&with_token, vec![&host], "303"),
        ("/", vec![&host], "403"),
        ("/?token=0", vec![&host], "403"),
        ("/nowhere", vec![&host], "403"),
        (&with_token, vec!["Host: evil.example"], "403"),
        ("/", vec!["Host: evil.example", &cookie], "403"),
        ("/", vec!["Host: 127.0.0.1", &cookie], "403"),
        ("/", vec![&host, "Host: evil.example", &cookie], "403"),
        ("/", vec![&host, &cookie, "Origin: http://evil.example"], "403"),
        ("/", vec![&host, &cookie, "Origin: null"], "403"),
        ("/ws", vec![&host, &cookie], "403"),
        ("/ws", vec![&host, &origin], "403"),
        ("/ws", vec![&host, &cookie, "Origin: http://evil.example"], "403"),
    ] {
        let answer = server.request(path, &headers);
        // The HTTP library may reject a request with two hosts.
        let is_right = status(&answer) == expected || expected == "403" && status(&answer) == "400";
        assert!(is_right, "{path} {headers:?}: {answer}");
    }
}

#[test]
fn token_becomes_a_cookie_hidden_from_scripts() {
    let server = Server::start(&[]);
    let answer = server.request(
        &format!("/?token={}", server.token),
        &[&format!("Host: 127.0.0.1:{}", server.port)],
    );
    let cookie =
        answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    assert_eq!(cookie, format!("{}; Path=/; HttpOnly; SameSite=Lax", server.cookie()));
    assert!(answer.contains("location: /\r\n"), "{answer}");
    let mode = server.data.path().join("token").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "only the user can read the token");
}

#[test]
fn every_response_has_the_security_headers() {
    let server = Server::start(&[]);
    let host = format!("Host: 127.0.0.1:{}", server.port);
    let cookie = format!("Cookie: {}", server.cookie());
    for (path, headers) in
        [("/", vec![&*host, &cookie]), ("/nowhere", vec![&host, &cookie]), ("/", vec![&host])]
    {
        let answer = server.request(path, &headers);
        let policy = answer
            .lines()
            .find_map(|line| line.strip_prefix("content-security-policy: "))
            .expect("a policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        assert!(answer.contains("x-content-type-options: nosniff"), "{answer}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn listens_on_loopback_only() {
    let server = Server::start(&[]);
    let port = format!(":{:04X}", server.port);
    let listening: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .flat_map(|path| {
            std::fs::read_to_string(path)
                .unwrap_or_default()
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .filter_map(|line| {
            let mut words = line.split_whitespace().skip(1);
            let (local, _, state) = (words.next()?, words.next()?, words.next()?);
            (state == "0A" && local.ends_with(&port)).then(|| local.to_owned())
        })
        .collect();
    assert_eq!(listening, [format!("0100007F{port}")], "127.0.0.1 alone");
}

#[test]
fn page_can_only_choose_engines_of_the_command_line() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    assert_eq!(tab.welcome["engines"], json!([{"name": "oshi"}]));
    let mut new =
        |player| tab.error(json!({"do": "new", "variant": "kamon", "players": [player, person()]}));
    assert_eq!(
        new(engine(1, json!(null), json!(null))),
        "no engine 1; expected one of the command line"
    );
    assert!(
        new(engine(0, json!("godlike"), json!(null)))
            .starts_with("unknown level `godlike`; expected beginner, ")
    );
    assert_eq!(
        new(engine(0, json!(null), json!(u64::MAX))),
        format!("a time of {} ms; expected at most 1000000000", u64::MAX)
    );
    for player in
        [json!({"kind": "engine", "engine": "sh -c true"}), json!({"kind": "program", "cmd": "sh"})]
    {
        assert!(new(player).contains("expected one of those in dohyo/core/messages.md"));
    }
}

#[test]
fn texts_cannot_inject_engine_commands() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game = tab.new_game("kamisado-simple", [person(), person()]);
    let id = game["id"].clone();
    let text = "a1a5\nsetoption name LogFile value stolen.log";
    assert!(
        tab.error(json!({"do": "play", "game": id, "node": 0, "move": text}))
            .contains("is not a move")
    );
    let line = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1\nsetoption name LogFile value stolen.log";
    assert!(tab.error(json!({"do": "check", "position": line})).starts_with("invalid position"));
}

#[test]
fn socket_survives_invalid_messages() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    for text in [
        "",
        "{",
        "[]",
        "null",
        r#"{"do":"dance"}"#,
        r#"{"do":1}"#,
        r#"{"do":"play","game":7}"#,
        r#"{"do":"open","game":"../token"}"#,
    ] {
        tab.send_text(text);
        let answer = tab.until(|message| message["is"] == "error");
        assert!(answer["text"].as_str().is_some_and(|text| text.contains("expected")), "{answer}");
    }
    tab.new_game("kamon", [person(), person()]);
}

#[test]
fn socket_survives_a_message_above_the_limit() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let longest = tab.welcome["max"]["bytes"].as_u64().unwrap() as usize;
    let text = tab.error(json!({"do": "import", "text": " ".repeat(longest)}));
    assert!(text.ends_with(&format!("bytes; expected at most {longest}")), "{text}");
    tab.new_game("kamon", [person(), person()]);
}

#[test]
fn shuts_down_despite_an_incomplete_request() {
    let server = Server::start(&[]);
    let mut stranger = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).unwrap();
    stranger.write_all(b"G").unwrap();
    // The reply shows that the server has handled the requests before it.
    let _tab = server.tab();
    assert!(server.terminate().success());
}

#[cfg(target_os = "linux")]
#[test]
fn two_hundred_tabs_need_no_engine_and_little_memory() {
    let server = Server::start(&[]);
    let mut first = server.tab();
    let game =
        first.new_game("kamisado-standard", [person(), engine(0, json!("beginner"), json!(null))]);
    let before = server.resident();
    let mut tabs: Vec<_> = (0..200).map(|_| server.tab()).collect();
    for tab in &mut tabs {
        tab.ask(json!({"do": "open", "game": game["id"]}));
    }
    assert_eq!(server.engines(), [0i32; 0], "no engine was started");
    let after = server.resident();
    assert!(after < before + 100_000, "{before} kB before, {after} kB with 200 tabs");
    // All tabs get events, including tabs that never read.
    first.play(&game, &game["nodes"][0], "a1a5");
    let last =
        tabs.last_mut().unwrap().until(|message| message["is"] == "head" && message["head"] == 2);
    assert_eq!(last["state"], "playing");
}
