//! Opens the lobby on this machine: the data folder, engine processes and the watched tournament.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use dohyo_core::host::Tournament;
use dohyo_core::lobby::{Host, Lobby, SWEEP};
use tokio::runtime::Handle;

use crate::arguments::Options;
use crate::engines::{Engine, Processes};
use crate::store::Store;
use crate::system::NativeSystem;
use crate::watch::Watch;

/// Reads the games of the data folder and returns them with the folder.
///
/// # Errors
/// The folder cannot be created, locked or read, or there is no tournament to watch.
pub fn open(options: Options) -> anyhow::Result<(Arc<Lobby>, PathBuf)> {
    let data = match options.data {
        Some(data) => data,
        None => directories::ProjectDirs::from("", "", "dohyo")
            .context("this system has no folder for application data; expected `--data DIR`")?
            .data_dir()
            .to_owned(),
    };
    let store = Store::open(&data)?;
    let own = Engine::own().context("cannot find the built-in engine: this program's file")?;
    let engines = std::iter::once(own).chain(options.engines).collect();
    let watch = options.watch.as_deref().map(Watch::open).transpose()?;
    let (games, damaged) = store
        .load()
        .with_context(|| format!("cannot read the data folder `{}`", data.display()))?;
    let warnings: Vec<String> = damaged.iter().map(ToString::to_string).collect();
    warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    let runtime = Handle::current();
    let host = Host {
        system: Arc::new(NativeSystem::new(runtime.clone())),
        storage: Box::new(store),
        engines: Box::new(Processes::new(engines, options.timeout)),
        watch: watch.map(|watch| Arc::new(watch) as Arc<dyn Tournament>),
    };
    let lobby = Lobby::open(host, games, warnings);
    let swept = Arc::clone(&lobby);
    runtime.spawn(async move {
        loop {
            tokio::time::sleep(SWEEP).await;
            let swept = Arc::clone(&swept);
            let _ = tokio::task::spawn_blocking(move || swept.sweep()).await;
        }
    });
    Ok((lobby, data))
}
