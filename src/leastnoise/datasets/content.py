"""SHA-256 of the parsed content of each dataset, for each task (see `Dataset.content_hash`)."""

CONTENT: dict[tuple[str, str], str] = {
    (
        "post-operative",
        "naive-bayes",
    ): "19c5f77a6391a4efd8773fe4f4d54f85ec3d59fad832e6107bcdf1480d6c347e",
    (
        "post-operative",
        "logistic",
    ): "993ff7547a8d2cc08b8038918b281bf8a128effec4106c6941c424befac0c1bf",
    ("adult", "naive-bayes"): "0c4ef526cde0fc472b56ac94d2c4dd372a7f439e3afe9b7b1c4db1b7d2022a0f",
    ("adult", "logistic"): "0c4ef526cde0fc472b56ac94d2c4dd372a7f439e3afe9b7b1c4db1b7d2022a0f",
    (
        "breast-cancer",
        "naive-bayes",
    ): "2f989be25039e7f67fb3fc0752def09f0ba65f40ada900c39dc5c3c41febbaab",
    (
        "breast-cancer",
        "logistic",
    ): "f4cb2fb8b5e751d6d25d8a6cd5ff2cc1758a2f1b5f5b3cdaa07da1470f31cea2",
    (
        "contraceptive",
        "naive-bayes",
    ): "f6dce2d8fcc9722aeafda7816c23f4148f6d3ca92f8750a5afc60fb69dc380e5",
    (
        "contraceptive",
        "logistic",
    ): "dd02c74e09b99ad875e085162a42bde20c3a88f06580096147f9a558f0d70dbe",
    (
        "dermatology",
        "naive-bayes",
    ): "73eb0ffcc379da4bcc66c4bd2106eba1cec44484cdc6f9a857207b8af4611dc3",
    ("dermatology", "logistic"): "221fb0c91ca75202aa33a07f1e7b486ff66183b1e382556624ad430cca717d15",
    (
        "cylinder-bands",
        "naive-bayes",
    ): "f58158257be8de84f5ff2de4ac57260c697762532d70b5a291a9d02400a791ef",
    (
        "cylinder-bands",
        "logistic",
    ): "f58158257be8de84f5ff2de4ac57260c697762532d70b5a291a9d02400a791ef",
    (
        "annealing",
        "naive-bayes",
    ): "83c2d69633766a77bf69d3bb34f1b497afe005dc6de513a9708e57c69d242ea0",
    ("annealing", "logistic"): "2ae3d16bd7aec5df3d92afcb1bdf9f41cb88ece52fe53520cdddd43a06ddf200",
    ("spect", "naive-bayes"): "be5ab604d7c1c56d1207e1463ba17c203d08b1ca6152db1a8ac16993ece38016",
    ("spect", "logistic"): "e8d6c9cffa6919c1fe32942a9e3405c1a1a3e8bfb5b3d4b1a1c311145112a162",
    ("bank", "naive-bayes"): "0bcc65cefe3e366466bc5219b19082101ea2fa5a2189a891f5ba05cbecc92772",
    ("bank", "logistic"): "0bcc65cefe3e366466bc5219b19082101ea2fa5a2189a891f5ba05cbecc92772",
    ("abalone", "naive-bayes"): "f397300d5eb3c798e7b6d6c8dd7a4f72570e3caa73a6ae277e8096c3ef6e59e3",
    ("abalone", "logistic"): "f397300d5eb3c798e7b6d6c8dd7a4f72570e3caa73a6ae277e8096c3ef6e59e3",
    ("spambase", "naive-bayes"): "335cd600df67f24cc98bc221fef2b63e2431d70b5907a1834f33f99bb6152af5",
    ("spambase", "logistic"): "335cd600df67f24cc98bc221fef2b63e2431d70b5907a1834f33f99bb6152af5",
    ("ecoli", "naive-bayes"): "f770e987922b18272686939503ba4c28ab43fb4e7ab2c18c98e4bb45e213e51d",
    ("ecoli", "logistic"): "f770e987922b18272686939503ba4c28ab43fb4e7ab2c18c98e4bb45e213e51d",
    ("absent", "naive-bayes"): "1b6dcdd85309772eaf5d27b3848dc95ddf5c2510307322cf99293fb549c6201f",
    ("absent", "logistic"): "353644f5013bbd19f08cfd173ee20fd290ae6c61c114262b4ee40e35257efd1c",
    (
        "colon-cancer",
        "naive-bayes",
    ): "29d5f4ca00c49c3c60b049fcb1585364be65a0f3cb871c33ee90cc8be50f60ae",
    (
        "colon-cancer",
        "logistic",
    ): "29d5f4ca00c49c3c60b049fcb1585364be65a0f3cb871c33ee90cc8be50f60ae",
    ("salary", "naive-bayes"): "b8ac533f72807a7192359df5ab5e73c0965c9eff525e4eb92ad77d26109375eb",
    ("salary", "logistic"): "b8ac533f72807a7192359df5ab5e73c0965c9eff525e4eb92ad77d26109375eb",
}
