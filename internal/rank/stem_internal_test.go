package rank

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The index depends on these stems: a library that changes them changes what is found.
func TestStem(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"caresses": "caress", "flies": "fli", "ties": "tie", "dies": "die", "gas": "gas", "this": "this", "kiwis": "kiwi",
		"cats": "cat", "ids": "id", "queries": "queri", "query": "queri", "feed": "feed",
		"repositories": "repositori", "repository": "repositori", "plastered": "plaster", "hopping": "hop",
		"hoping": "hope", "failing": "fail", "filing": "file", "files": "file", "sized": "size", "luxuriated": "luxuri",
		"happy": "happi", "say": "say", "by": "by", "enjoy": "enjoy", "relational": "relat", "conditional": "condit",
		"rational": "ration", "valency": "valenc", "digitizer": "digit", "conformably": "conform", "differently": "differ",
		"analogously": "analog", "vietnamization": "vietnam", "operator": "oper", "feudalism": "feudal",
		"decisiveness": "decis", "hopefulness": "hope", "formality": "formal", "sensibility": "sensibl",
		"triplicate": "triplic", "formative": "format", "formalize": "formal", "electricity": "electr",
		"electrical": "electr", "goodness": "good", "revival": "reviv", "allowance": "allow", "inference": "infer",
		"adjustable": "adjust", "irritant": "irrit", "replacement": "replac", "adoption": "adopt", "communism": "communism",
		"activate": "activ", "effective": "effect", "probate": "probat", "rate": "rate", "controlling": "control",
		"roll": "roll", "generate": "generat", "general": "general", "skies": "sky", "dying": "die", "news": "news",
		"proceeds": "proceed", "early": "earli", "apology": "apolog", "psychology": "psycholog",
		"é": "é", "h2o": "h2o", "": "", "a": "a", "größen": "größen",
	}
	for word, want := range tests {
		require.Equal(t, want, string(stem([]byte(word))), word)
	}
}
