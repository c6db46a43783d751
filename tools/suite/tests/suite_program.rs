//! The program `oshi-suite` and the files that it reads.

use std::fs;
use std::process::Command;

#[test]
fn reads_positions_in_all_encodings() {
    let position = "OLVPY1G1/8/3R1v2/8/8/4r3/7B/bg1yp1lo b r 0-0 1 ;bm e3d4 e3e5 e3b6 e3e7";
    let text = format!("# Zoë\n{position}\n");
    let marked = format!("\u{feff}{text}");
    let utf16 = |order: fn(u16) -> [u8; 2]| marked.encode_utf16().flat_map(order).collect();
    let variants: [(&str, Vec<u8>); 5] = [
        ("UTF-8", text.clone().into_bytes()),
        ("UTF-8, CRLF", text.replace('\n', "\r\n").into_bytes()),
        ("UTF-8 with a mark", marked.clone().into_bytes()),
        ("UTF-16LE with a mark", utf16(u16::to_le_bytes)),
        ("UTF-16BE with a mark", utf16(u16::to_be_bytes)),
    ];
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("positions");
    for (name, bytes) in variants {
        fs::write(&file, bytes).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_oshi-suite"))
            .arg(&file)
            .args(["--nodes", "100", "--hash", "1"])
            .output()
            .unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(stdout.contains("right moves   : 1 of 1"), "{name}: {output:?}");
    }
}
