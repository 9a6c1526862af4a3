//! Words by which programs say in other European languages how far they are, and what they mean in English.

/// Each word, in lower case, beside the English one that the rules know.
const WORDS: &[(&str, &str)] = &[
    // German
    ("abgeschlossen", "completed"),
    ("beendet", "finished"),
    ("fertig", "done"),
    ("gespeichert", "saved"),
    ("ergebnisse", "results"),
    ("auswertung", "evaluation"),
    ("evaluierung", "evaluation"),
    ("experimente", "experiments"),
    ("episoden", "episodes"),
    ("epochen", "epochs"),
    ("alle", "all"),
    ("erfolgreich", "successfully"),
    ("wurde", "was"),
    ("ist", "is"),
    ("nach", "after"),
    ("wenn", "when"),
    ("sobald", "once"),
    ("nicht", "not"),
    ("wird", "will"),
    // Spanish
    ("entrenamiento", "training"),
    ("evaluación", "evaluation"),
    ("evaluacion", "evaluation"),
    ("simulación", "simulation"),
    ("experimento", "experiment"),
    ("resultados", "results"),
    ("completado", "completed"),
    ("completada", "completed"),
    ("finalizado", "finished"),
    ("finalizada", "finished"),
    ("terminado", "finished"),
    ("terminada", "finished"),
    ("guardados", "saved"),
    ("correctamente", "successfully"),
    ("cuando", "when"),
    // French
    ("entraînement", "training"),
    ("entrainement", "training"),
    ("évaluation", "evaluation"),
    ("expérience", "experiment"),
    ("résultats", "results"),
    ("terminé", "finished"),
    ("terminée", "finished"),
    ("achevé", "completed"),
    ("sauvegardés", "saved"),
    ("enregistrés", "saved"),
    ("après", "after"),
    ("quand", "when"),
    ("pas", "not"),
    // Portuguese
    ("treinamento", "training"),
    ("treino", "training"),
    ("avaliação", "evaluation"),
    ("concluído", "completed"),
    ("concluída", "completed"),
    ("salvos", "saved"),
    ("após", "after"),
    ("não", "not"),
    // Italian
    ("addestramento", "training"),
    ("valutazione", "evaluation"),
    ("simulazione", "simulation"),
    ("esperimento", "experiment"),
    ("risultati", "results"),
    ("completato", "completed"),
    ("completata", "completed"),
    ("terminato", "finished"),
    ("terminata", "finished"),
    ("salvati", "saved"),
    ("dopo", "after"),
    ("non", "not"),
];

/// The English word for one of another language, in lower case; the word itself where it is none of these.
pub fn in_english(word: &str) -> &str {
    WORDS.iter().find(|(foreign, _)| *foreign == word).map_or(word, |(_, english)| english)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_word_has_one_meaning() {
        let words: BTreeSet<&str> = WORDS.iter().map(|(foreign, _)| *foreign).collect();
        assert_eq!(words.len(), WORDS.len());
        assert_eq!((in_english("beendet"), in_english("training")), ("finished", "training"));
    }
}
