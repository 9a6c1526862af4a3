//! What CUDA, containers and users mean by their lists of GPUs.

use super::*;

fn cards(names: &[&str]) -> Vec<GpuCard> {
    let uuids = ["GPU-8a1b", "GPU-8a2c", "GPU-b3", "GPU-c4"];
    let card = |(index, name): (usize, &&str)| GpuCard {
        uuid: uuids[index].to_owned(),
        name: (*name).to_owned(),
        ..GpuCard::unknown(GpuIndex(index as u32))
    };
    names.iter().enumerate().map(card).collect()
}

fn inherited(cuda: Option<&str>, container: Option<&str>) -> InheritedGpus {
    InheritedGpus {
        cuda: cuda.map(str::to_owned),
        container: container.map(str::to_owned),
        ..InheritedGpus::default()
    }
}

fn numbers(permit: &GpuPermit) -> Vec<u32> {
    permit.cards.iter().map(|card| card.index.0).collect()
}

#[test]
fn cuda_visible_devices_means_what_cuda_makes_of_it() {
    let cards = cards(&["A"; 4]);
    let rows: &[(Option<&str>, &[u32])] = &[
        (None, &[0, 1, 2, 3]),
        (Some("2,3"), &[2, 3]),
        (Some("3, 1"), &[1, 3]),
        (Some(""), &[]),
        (Some("-1"), &[]),
        (Some("1,-1,2"), &[1]),
        (Some("0,9,1"), &[0]),
        (Some("NoDevFiles"), &[]),
        (Some("1gpu2,2ampere"), &[1, 2]),
        (Some("0,1,0"), &[]),
        (Some("GPU-b3"), &[2]),
        (Some("GPU-8a1,GPU-c"), &[0, 3]),
        (Some("GPU-8a"), &[]),
        (Some("GPU-b3,GPU-8a,GPU-c4"), &[2]),
        (Some("GPU-b3,0"), &[2]),
        (Some("0,GPU-b3"), &[0]),
        (Some("GPU-b3,GPU-b"), &[]),
        (Some("MIG-GPU-b3/1/0"), &[]),
    ];
    for (value, expected) in rows {
        assert_eq!(numbers(&inherited(*value, None).build_permit(&cards)), *expected, "{value:?}");
    }
    let mig = inherited(Some("MIG-5c"), None).build_permit(&cards);
    assert!(mig.warnings[0].contains("MIG-5c"), "{mig:?}");
    let cut = inherited(Some("0,9,1"), None).build_permit(&cards);
    assert!(cut.warnings[0].starts_with("`9` in CUDA_VISIBLE_DEVICES=0,9,1 names no GPU"), "{cut:?}");
}

#[test]
fn another_order_than_that_of_the_bus_is_said() {
    let order = |order: Option<&str>, names: &[&str], value: &str| {
        let order = order.map(str::to_owned);
        let inherited = InheritedGpus { order, ..inherited(Some(value), None) };
        inherited.build_permit(&cards(names)).warnings.len()
    };
    assert_eq!(order(Some("PCI_BUS_ID"), &["A", "B"], "1"), 0);
    assert_eq!(order(None, &["A", "A"], "1"), 0);
    assert_eq!(order(None, &["A", "B"], "1"), 1);
    assert_eq!(order(Some("FASTEST_FIRST"), &["A", "A"], "1"), 1);
    assert_eq!(order(Some("FASTEST_FIRST"), &["A", "B"], "GPU-8a1"), 0);
}

#[test]
fn a_container_has_what_it_was_given() {
    let four = cards(&["A"; 4]);
    let rows: &[(&str, &[u32])] = &[
        ("all", &[0, 1, 2, 3]),
        ("", &[0, 1, 2, 3]),
        ("void", &[0, 1, 2, 3]),
        ("none", &[]),
        ("1,2", &[1, 2]),
        ("GPU-b3", &[2]),
        ("/var/run/nvidia-container-devices", &[0, 1, 2, 3]),
    ];
    for (value, expected) in rows {
        assert_eq!(numbers(&inherited(None, Some(value)).build_permit(&four)), *expected, "{value}");
    }
    // The host's numbers 6 and 7 are 0 and 1 inside.
    assert_eq!(numbers(&inherited(None, Some("6,7")).build_permit(&cards(&["A", "A"]))), [0, 1]);
    let both = inherited(Some("0,1"), Some("1,2")).build_permit(&four);
    assert_eq!(numbers(&both), [1]);
    assert_eq!(both.because, ["CUDA_VISIBLE_DEVICES=0,1", "NVIDIA_VISIBLE_DEVICES=1,2"]);
}

#[test]
fn cards_that_cannot_be_opened_are_not_numbered_by_cuda() {
    let mut cards = cards(&["A"; 3]);
    cards[0].withheld = Some("/dev/nvidia0 may not be opened".to_owned());
    assert_eq!(numbers(&inherited(None, None).build_permit(&cards)), [1, 2]);
    let first = inherited(Some("0"), None).build_permit(&cards);
    assert_eq!(numbers(&first), [1]);
    let refused = first.choose_cards(&["0".to_owned()]).unwrap_err();
    assert_eq!(refused, "GPU 0 may not be used (/dev/nvidia0 may not be opened); GPU 1 may be used");
}

#[test]
fn names_that_were_resolved_outlive_a_change_of_numbers() {
    let mut inherited = inherited(Some("2,3"), None);
    inherited.resolved = Some(vec!["GPU-b3".to_owned(), "GPU-c4".to_owned()]);
    // The first card has fallen off the bus.
    let mut left = cards(&["A"; 4]);
    left.remove(0);
    left.iter_mut().for_each(|card| card.index.0 -= 1);
    let permit = inherited.build_permit(&left);
    assert_eq!(numbers(&permit), [1, 2]);
    assert_eq!(permit.withheld, [(GpuIndex(0), "CUDA_VISIBLE_DEVICES=2,3".to_owned())]);
}

#[test]
fn a_choice_lies_within_what_was_inherited_or_says_why_not() {
    let permit = inherited(Some("2,3"), None).build_permit(&cards(&["A"; 4]));
    let choose = |wanted: &[&str]| {
        let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
        permit.choose_cards(&wanted).map(|cards| cards.iter().map(|card| card.index.0).collect::<Vec<_>>())
    };
    assert_eq!(choose(&[]), Ok(vec![2, 3]));
    assert_eq!(choose(&["GPU-c", "2"]), Ok(vec![3, 2]));
    let refused = |wanted: &[&str]| choose(wanted).unwrap_err();
    assert_eq!(refused(&["0"]), "GPU 0 may not be used (CUDA_VISIBLE_DEVICES=2,3); GPUs 2, 3 may be used");
    assert_eq!(refused(&["7"]), "there is no GPU 7; GPUs 2, 3 may be used");
    assert_eq!(refused(&["GPU-x"]), "`GPU-x` names no GPU of this machine; GPUs 2, 3 may be used");
    assert_eq!(refused(&["2", "GPU-b3"]), "GPU 2 is named twice");
    assert!(refused(&["MIG-1"]).contains("MIG instance"));
}
