"""A tokenizer for clients that want one: one word, one token. Only where the package of this name is not installed; what a client does
while it measures does not come here."""


class PreTrainedTokenizerBase:
    vocab_size = 30000

    @classmethod
    def from_pretrained(cls, *_, **__):
        return cls()

    def encode(self, text, **_):
        return [int(word[1:]) for word in text.split() if word[1:].isdigit()]

    def decode(self, ids, **_):
        return " ".join(f"w{i}" for i in ids)

    def __call__(self, text, **_):
        return type("Encoding", (), {"input_ids": self.encode(text)})()


PreTrainedTokenizer = PreTrainedTokenizerFast = AutoTokenizer = PreTrainedTokenizerBase
