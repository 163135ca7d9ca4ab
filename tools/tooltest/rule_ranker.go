package tooltest

// The rules of CheckRanker. Each one has an entry in rankerPurposes and an item in the
// comment of CheckRanker.
const (
	ruleRankerFinds      = "the named is found"
	ruleRankerLimit      = "the limit holds"
	ruleRankerOrder      = "the best come first"
	ruleRankerNames      = "matches are deferred tools"
	ruleRankerAccept     = "accept decides"
	ruleRankerIrrelevant = "the irrelevant is not found"
	ruleRankerSame       = "the same words find the same"
	ruleRankerOdd        = "odd words are words"
	ruleRankerEnds       = "it ends with its context"
)

// rankerPurposes holds the purpose of each rule.
var rankerPurposes = map[string]string{
	ruleRankerFinds:      "a tool that is not found is not called",
	ruleRankerLimit:      "every tool that is found is added to the prompt",
	ruleRankerOrder:      "only the first matches are loaded",
	ruleRankerNames:      "other matches are ignored, and take the places of those that count",
	ruleRankerAccept:     "the model has asked for tools with certain words, or of one server",
	ruleRankerIrrelevant: "a tool that has nothing to do with the words fills the prompt and misleads the model",
	ruleRankerSame:       "a conversation that is replayed must load the same tools",
	ruleRankerOdd:        "a model writes the words",
	ruleRankerEnds:       "a search that goes on holds up the turn",
}
