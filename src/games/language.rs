//! The games' terms in each language, as in the published rules. A language is one entry of a
//! table.

use strum::{EnumString, IntoStaticStr, VariantArray};

/// Language of a notation.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Debug,
    Default,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(ascii_case_insensitive)]
pub enum Language {
    /// `en`
    #[default]
    #[strum(serialize = "en")]
    English,
    /// `fr`
    #[strum(serialize = "fr")]
    French,
    /// `de`
    #[strum(serialize = "de")]
    German,
    /// `ro`
    #[strum(serialize = "ro")]
    Romanian,
}

/// All terms of a score sheet in one language. Texts with names in braces are templates for
/// [`fill`].
#[derive(Debug)]
pub struct Terms {
    /// Title of a score sheet, unique among the languages.
    pub sheet: &'static str,
    /// Header of the game's number.
    pub game: &'static str,
    /// Header of the date.
    pub date: &'static str,
    /// Black, White.
    pub players: [&'static str; 2],
    /// Headers of the time or node limits, Black's first.
    pub limits: [&'static str; 2],
    /// Header of the start position.
    pub start: &'static str,
    /// Header of the result.
    pub result: &'static str,
    /// Header of an ending other than by the rules.
    pub ending: &'static str,
    /// Closing line of an unfinished game.
    pub unfinished: &'static str,
    /// `{player}` is to move.
    pub to_move: &'static str,
    /// Closing line if `{player}` wins other than by the rules.
    pub forfeit: &'static str,
    /// Terms of Kamisado.
    pub kamisado: KamisadoTerms,
    /// Terms of Kamon.
    pub kamon: KamonTerms,
    /// Alternative spellings that are read, each with the spelling that is written. All in lower
    /// case.
    pub spellings: &'static [(&'static str, &'static str)],
}

/// Terms of Kamisado.
#[derive(Debug)]
pub struct KamisadoTerms {
    /// By colour index: brown, green, red, yellow, pink, violet, blue, orange.
    pub colours: [&'static str; 8],
    /// Ahead, to the left, to the right, back.
    pub directions: [&'static str; 4],
    /// Refill from the left, refill from the right.
    pub refills: [&'static str; 2],
    /// Words that are read as a pass. A pass is written as its tower and square.
    pub passes: &'static [&'static str],
    /// Round `{number}` begins at `{score}`.
    pub round: &'static str,
    /// `{player}` has won a round, `{how}`: `{tower}` has become `{rank}` for `{points}`; now it is
    /// `{score}`.
    pub round_won: &'static str,
    /// How a round ends: far row, deadlock.
    pub hows: [&'static str; 2],
    /// A Sumo's push.
    pub oshi: &'static str,
    /// Ranks of a tower with 1 to 4 teeth.
    pub ranks: [&'static str; 4],
    /// `{player}` has won the match at `{score}`.
    pub match_won: &'static str,
    /// The called tower of `{player}`, `{tower}` on `{square}`, has to move; or is blocked and
    /// passes.
    pub called: [&'static str; 2],
    /// `{player}` opens a round.
    pub opens: &'static str,
    /// `{player}` has won a round and chooses the refill.
    pub chooses: &'static str,
}

/// Terms of Kamon.
#[derive(Debug)]
pub struct KamonTerms {
    /// Pink, yellow, blue, orange, red, green.
    pub colours: [&'static str; 6],
    /// Butterfly, fish, bird, fan, mountain, gate.
    pub symbols: [&'static str; 6],
    /// `{player}` ends the game by connection, loop, draw, block.
    pub endings: [&'static str; 4],
    /// Short names of the endings: connection, loop, draw, block.
    pub hows: [&'static str; 4],
}

/// In the order of [`Language::ALL`].
static TABLE: [Terms; 4] = [
    Terms {
        sheet: "Score sheet",
        game: "Game",
        date: "Date",
        players: ["Black", "White"],
        limits: ["Black's limit", "White's limit"],
        start: "Start",
        result: "Result",
        ending: "Ending",
        unfinished: "To be continued",
        forfeit: "{player} wins by forfeit",
        to_move: "{player} to move",
        kamisado: KamisadoTerms {
            colours: ["Brown", "Green", "Red", "Yellow", "Pink", "Violet", "Blue", "Orange"],
            directions: ["Ahead", "Left", "Right", "Back"],
            refills: ["Refill Left", "Refill Right"],
            passes: &["Pass", "Passes", "-"],
            round: "Round {number}, {score}",
            round_won: "{player} wins the round, {how}: {tower}, {rank}, +{points}, {score}",
            hows: ["far row", "deadlock"],
            oshi: "oshi",
            ranks: ["Sumo", "Double Sumo", "Triple Sumo", "fourth tooth"],
            match_won: "{player} wins the match, {score}",
            called: [
                "{player}: {tower} on {square} is called",
                "{player}: {tower} on {square} is blocked and passes",
            ],
            opens: "{player} opens the round with any tower",
            chooses: "{player} has won the round and chooses the refill",
        },
        kamon: KamonTerms {
            colours: ["Pink", "Yellow", "Blue", "Orange", "Red", "Green"],
            symbols: ["Butterfly", "Fish", "Bird", "Fan", "Mountain", "Gate"],
            endings: [
                "{player} wins by connection",
                "{player} wins by a loop",
                "Draw: all cells are filled",
                "{player} wins by block",
            ],
            hows: ["connection", "loop", "full board", "block"],
        },
        spellings: &[
            ("purple", "violet"),
            ("double-sumo", "double sumo"),
            ("triple-sumo", "triple sumo"),
        ],
    },
    Terms {
        sheet: "Feuille de partie",
        game: "Partie",
        date: "Date",
        players: ["Noir", "Blanc"],
        limits: ["Cadence de Noir", "Cadence de Blanc"],
        start: "Départ",
        result: "Résultat",
        ending: "Fin",
        unfinished: "À suivre",
        forfeit: "{player} gagne par forfait",
        to_move: "{player} joue",
        kamisado: KamisadoTerms {
            colours: ["Marron", "Vert", "Rouge", "Jaune", "Rose", "Violet", "Bleu", "Orange"],
            directions: ["Devant", "Gauche", "Droite", "Arrière"],
            refills: ["Placement de gauche à droite", "Placement de droite à gauche"],
            passes: &["Passer", "Passe"],
            round: "Manche {number}, {score}",
            round_won: "{player} gagne la manche, {how} : {tower}, {rank}, +{points}, {score}",
            hows: ["rangée de base adverse", "impasse totale"],
            oshi: "oshi",
            ranks: ["Sumo", "Double-Sumo", "Triple-Sumo", "quatrième dent"],
            match_won: "{player} gagne la partie, {score}",
            called: [
                "{player} : {tower} en {square} est la tour active",
                "{player} : {tower} en {square} est bloquée et passe",
            ],
            opens: "{player} ouvre la manche avec la tour de son choix",
            chooses: "{player} a gagné la manche et choisit le placement",
        },
        kamon: KamonTerms {
            colours: ["Rose", "Jaune", "Bleu", "Orange", "Rouge", "Vert"],
            symbols: ["Papillon", "Poisson", "Oiseau", "Éventail", "Montagne", "Porte"],
            endings: [
                "{player} gagne : deux bords rejoints",
                "{player} gagne par une boucle",
                "Match nul : toutes les cases sont occupées",
                "{player} gagne par blocage",
            ],
            hows: ["deux bords rejoints", "boucle", "toutes les cases occupées", "blocage"],
        },
        spellings: &[
            ("blocage", "impasse totale"),
            ("double sumo", "double-sumo"),
            ("triple sumo", "triple-sumo"),
            ("placement gauche", "placement de gauche à droite"),
            ("placement droite", "placement de droite à gauche"),
            ("gagne le match", "gagne la partie"),
            ("gagne par connexion", "gagne : deux bords rejoints"),
            ("égalité", "match nul"),
        ],
    },
    Terms {
        sheet: "Partieformular",
        game: "Partie",
        date: "Datum",
        players: ["Schwarz", "Weiß"],
        limits: ["Bedenkzeit Schwarz", "Bedenkzeit Weiß"],
        start: "Beginn",
        result: "Ergebnis",
        ending: "Ende",
        unfinished: "Fortsetzung folgt",
        forfeit: "{player} gewinnt kampflos",
        to_move: "{player} ist am Zug",
        kamisado: KamisadoTerms {
            colours: ["Braun", "Grün", "Rot", "Gelb", "Rosa", "Lila", "Blau", "Orange"],
            directions: ["Geradeaus", "Links", "Rechts", "Zurück"],
            refills: ["Von links besetzen", "Von rechts besetzen"],
            passes: &["Aussetzen", "Setzt aus", "Passen"],
            round: "Runde {number}, {score}",
            round_won: "{player} gewinnt die Runde, {how}: {tower}, {rank}, +{points}, {score}",
            hows: ["gegnerische Grundlinie", "Stillstand"],
            oshi: "Sumo-Stoß",
            ranks: ["Sumo", "Doppel-Sumo", "Dreifach-Sumo", "Vierfach-Sumo"],
            match_won: "{player} gewinnt das Spiel, {score}",
            called: [
                "{player}: {tower} auf {square} muss ziehen",
                "{player}: {tower} auf {square} ist blockiert und setzt aus",
            ],
            opens: "{player} eröffnet die Runde mit einem beliebigen Turm",
            chooses: "{player} hat die Runde gewonnen und wählt, wie besetzt wird",
        },
        kamon: KamonTerms {
            colours: ["Rosa", "Gelb", "Blau", "Orange", "Rot", "Grün"],
            symbols: ["Schmetterling", "Fisch", "Vogel", "Fächer", "Berg", "Tor"],
            endings: [
                "{player} gewinnt durch Verbindung",
                "{player} gewinnt durch einen Ring",
                "Unentschieden: alle Felder sind belegt",
                "{player} gewinnt durch Blockade",
            ],
            hows: ["Verbindung", "Ring", "alle Felder belegt", "Blockade"],
        },
        spellings: &[
            ("violett", "lila"),
            ("blockade", "stillstand"),
            ("vierter zahn", "vierfach-sumo"),
            ("aufstellung links", "von links besetzen"),
            ("aufstellung rechts", "von rechts besetzen"),
        ],
    },
    Terms {
        sheet: "Foaie de joc",
        game: "Partida",
        date: "Data",
        players: ["Negru", "Alb"],
        limits: ["Limita lui Negru", "Limita lui Alb"],
        start: "Început",
        result: "Rezultat",
        ending: "Sfârșit",
        unfinished: "Va urma",
        forfeit: "{player} câștigă prin neprezentare",
        to_move: "{player} la mutare",
        kamisado: KamisadoTerms {
            colours: ["Maro", "Verde", "Roșu", "Galben", "Roz", "Mov", "Albastru", "Portocaliu"],
            directions: ["Înainte", "Stânga", "Dreapta", "Înapoi"],
            refills: ["Aranjare de la stânga", "Aranjare de la dreapta"],
            passes: &["Pass", "Pas"],
            round: "Runda {number}, {score}",
            round_won: "{player} câștigă runda, {how}: {tower}, {rank}, +{points}, {score}",
            hows: ["linia-casă adversă", "blocaj"],
            oshi: "împingere sumo",
            ranks: ["sumo", "dublu-sumo", "triplu-sumo", "al patrulea dinte"],
            match_won: "{player} câștigă jocul, {score}",
            called: [
                "{player}: {tower} pe {square} este turnul activ",
                "{player}: {tower} pe {square} este blocat: pass",
            ],
            opens: "{player} deschide runda cu orice turn",
            chooses: "{player} a câștigat runda și alege aranjarea",
        },
        kamon: KamonTerms {
            colours: ["Roz", "Galben", "Albastru", "Portocaliu", "Roșu", "Verde"],
            symbols: ["Fluture", "Pește", "Pasăre", "Evantai", "Munte", "Poartă"],
            endings: [
                "{player} câștigă prin conexiune",
                "{player} câștigă printr-o buclă",
                "Remiză: toate celulele sunt ocupate",
                "{player} câștigă prin blocare",
            ],
            hows: ["conexiune", "buclă", "toate celulele ocupate", "blocare"],
        },
        // Older keyboards write a cedilla instead of a comma below.
        spellings: &[("ş", "ș"), ("ţ", "ț")],
    },
];

impl Language {
    /// All languages.
    pub const ALL: &[Language] = Language::VARIANTS;

    /// ISO 639-1 code. Reading it ignores case.
    pub fn code(self) -> &'static str {
        self.into()
    }

    /// Terms of this language.
    pub fn terms(self) -> &'static Terms {
        &TABLE[self as usize]
    }
}

/// Replaces the names in braces of a template by their values.
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(template.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{{name}}}"), value)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Ambiguous terms could not be read back.
    fn assert_distinct(terms: &[&str]) {
        assert_eq!(
            terms.iter().map(|term| term.to_lowercase()).collect::<HashSet<_>>().len(),
            terms.len(),
            "{terms:?}"
        );
    }

    #[test]
    fn codes_and_titles_are_unique() {
        assert_distinct(
            &Language::ALL.iter().map(|language| language.terms().sheet).collect::<Vec<_>>(),
        );
        for &language in Language::ALL {
            assert_eq!(language.code().to_uppercase().parse(), Ok(language));
        }
    }

    #[test]
    fn terms_of_a_kind_are_distinct() {
        for terms in Language::ALL.iter().map(|language| language.terms()) {
            let [black, white] = terms.players;
            let [black_limit, white_limit] = terms.limits;
            let Terms { sheet, game, date, start, result, ending, .. } = terms;
            assert_distinct(&[
                sheet,
                game,
                date,
                black,
                white,
                black_limit,
                white_limit,
                start,
                result,
                ending,
            ]);
            assert_distinct(&terms.kamisado.colours);
            assert_distinct(&terms.kamisado.directions);
            assert_distinct(&terms.kamisado.refills);
            assert_distinct(&terms.kamisado.ranks);
            assert_distinct(&terms.kamon.colours);
            assert_distinct(&terms.kamon.symbols);
        }
    }

    #[test]
    fn spellings_keep_terms_distinct_and_unchanged() {
        for terms in Language::ALL.iter().map(|language| language.terms()) {
            let read = |text: &&str| {
                terms
                    .spellings
                    .iter()
                    .fold(text.to_lowercase(), |text, (other, ours)| text.replace(other, ours))
            };
            let KamisadoTerms { colours, directions, refills, ranks, hows, .. } = &terms.kamisado;
            for kind in [
                &colours[..],
                directions,
                refills,
                ranks,
                hows,
                &terms.kamon.colours,
                &terms.kamon.symbols,
            ] {
                let texts: Vec<String> = kind.iter().map(read).collect();
                assert_distinct(&texts.iter().map(String::as_str).collect::<Vec<_>>());
                assert_eq!(texts, kind.iter().map(|term| term.to_lowercase()).collect::<Vec<_>>());
            }
            for spelling in terms.spellings.iter().flat_map(|&(other, ours)| [other, ours]) {
                assert_eq!(spelling, spelling.to_lowercase());
            }
        }
    }

    #[test]
    fn templates_have_equal_names_in_all_languages() {
        let names = |template: &str| {
            template
                .split('{')
                .skip(1)
                .map(|rest| rest.split('}').next().unwrap().to_owned())
                .collect::<HashSet<_>>()
        };
        let templates = |terms: &'static Terms| {
            let KamisadoTerms { round, round_won, match_won, .. } = terms.kamisado;
            [&[terms.forfeit, round, round_won, match_won][..], &terms.kamon.endings].concat()
        };
        let of = |language: Language| {
            templates(language.terms()).into_iter().map(names).collect::<Vec<_>>()
        };
        for &language in Language::ALL {
            assert_eq!(of(language), of(Language::English));
        }
    }
}
