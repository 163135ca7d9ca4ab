package tooltest

// The rules of CheckAsker. Each one has an entry in askerPurposes and an item in the
// comment of CheckAsker.
const (
	ruleAskerAnswers = "answers count"
	ruleAskerEnds    = "it returns when its context ends"
	ruleAskerSilence = "an end is no answer"
	ruleAskerOther   = "other questions are not answered"
	ruleAskerKnown   = "decisions are known"
	ruleAskerPanics  = "it does not panic"
)

// askerPurposes holds the purpose of each rule.
var askerPurposes = map[string]string{
	ruleAskerAnswers: "a person has decided about the call, and nothing else may happen to it",
	ruleAskerEnds:    "the next question is not shown before the asker returns, and the session's Close waits for it",
	ruleAskerSilence: "a question that no person has answered is no permission",
	ruleAskerOther:   "a person has seen another call than the one that would run",
	ruleAskerKnown:   "an answer of another behavior counts as no answer",
	ruleAskerPanics:  "an asker that panics leaves the call without an answer, and the person without the question",
}
