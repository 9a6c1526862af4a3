//! Words in Chinese, Korean and Japanese that say that work is done: `训练完成`, `평가 완료`, `学習完了`.

/// How a language says that something is over.
struct Ends {
    /// It is over.
    over: &'static [&'static str],
    /// What a program does once.
    work: &'static [&'static str],
    /// Words that make it a part, something else, or something that is to come.
    otherwise: &'static [&'static str],
    /// The number behind the end is how long it took.
    time: &'static [&'static str],
}

#[rustfmt::skip]
const LANGUAGES: [Ends; 3] = [
    Ends {
        over: &["完成"],
        work: &["训练", "评估", "评测", "测试", "实验", "仿真", "流程"],
        otherwise: &[
            "未", "后", "等待", "将", "如果", "开始", "失败", "错误", "中断", "取消", "轮", "阶段", "当前",
        ],
        time: &["耗时", "用时"],
    },
    Ends {
        over: &["완료"],
        work: &["학습", "훈련", "평가", "테스트", "실험", "시뮬레이션", "추론"],
        otherwise: &[
            "미완료", "완료되면", "완료되지", "않", "후", " 전", "사전", "대기", "예정", "시작", "실패", "오류", "중단", "취소",
            "단계", "에폭", "에포크", "로드", "로딩", "준비", "초기화", "설정", "환경", "데이터", "현재", "폴드",
        ],
        time: &["소요", "시간"],
    },
    Ends {
        over: &["完了", "終了"],
        work: &["学習", "訓練", "評価", "テスト", "実験", "シミュレーション", "推論"],
        otherwise: &[
            "未", "後", "前", "待", "予定", "開始", "失敗", "エラー", "異常", "中断", "キャンセル", "段階", "エポック",
            "ロード", "読み込み", "準備", "初期化", "設定", "環境", "データ", "現在", "ない", "回目",
        ],
        time: &["所要", "時間"],
    },
];

/// `完整实验流程执行完成`, `평가 완료 총 소요 469 2s`; with another number it is one of several.
pub fn says_in_east_asian(line: &str) -> bool {
    LANGUAGES.iter().any(|language| language.says_over(line))
}

impl Ends {
    fn says_over(&self, line: &str) -> bool {
        let holds = |text: &str, words: &[&str]| words.iter().any(|word| text.contains(word));
        let Some((before, behind)) = self.over.iter().find_map(|over| line.split_once(over)) else {
            return false;
        };
        let is_numbered = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
        let counts = is_numbered(before) || is_numbered(behind) && !holds(behind, self.time);
        holds(line, self.work) && !holds(line, self.otherwise) && !counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_work_is_over() {
        for line in [
            "模型训练完成",
            "完整实验流程执行完成",
            "训练完成 总耗时 3 5s",
            "실험 완료 총 소요 469 2s",
            "모델 학습 완료",
            "평가 완료",
        ] {
            assert!(says_in_east_asian(line), "{line}");
        }
        assert!(
            says_in_east_asian("전체 실험 완료")
                && says_in_east_asian("学習完了")
                && says_in_east_asian("評価が終了しました")
        );
    }

    #[test]
    fn a_part_or_what_is_to_come_is_none() {
        for line in [
            "第 3 轮训练完成",
            "训练未完成",
            "训练完成 3 5",
            "3 번째 학습 완료",
            "학습 데이터 로드 완료",
            "평가 완료 후 저장",
            "학습 완료 3 10",
            "학습 미완료",
            "環境の準備完了",
            "学習完了後に評価",
            "エポック 3 学習完了",
            "완료",
        ] {
            assert!(!says_in_east_asian(line), "{line}");
        }
    }
}
