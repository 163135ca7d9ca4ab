package session

import "regexp"

// planningWords are phrases of somebody who wants a plan before anything is changed.
var planningWords = regexp.MustCompile(`(?i)\b(?:` +
	`plan mode|planning|blueprint|road ?map|` +
	`(?:make|write|draft|create|prepare|propose|present|give|show|work out|come up with|need|want|have|like|see|with|your|the|a|an) (?:\w+ ){0,3}plan|` +
	`plan (?:this|that|it|out|how|what|the|a|an|for|first|before|ahead|and)|(?:let's|let us|please|first|to|should|we) plan|` +
	`how (?:would|will|should|could) (?:you|we|one) (?:go about|approach|tackle|implement|design|structure|do|solve|build)|` +
	`(?:propose|outline|sketch|suggest|describe) (?:\w+ ){0,3}(?:approach|design|solution|strategy|steps|changes|architecture)|` +
	`(?:design|architecture|strategy) (?:first|before|doc|document|proposal)|` +
	`think (?:\w+ )?(?:it|this|that) (?:through|over)|think (?:about|through) (?:how|the approach|the design)|` +
	`(?:before|without) (?:\w+ )?(?:changing|writing|editing|touching|implementing|coding)|before you (?:change|write|edit|touch|implement|code|start|begin)|` +
	`(?:don't|do not|dont) (?:change|write|edit|touch|implement|code|modify) (?:anything|any|the|a|code|yet)` +
	`)\b`)

// otherPlans are plans that nobody has to make.
var otherPlans = regexp.MustCompile(`(?i)\b(?:query|execution|explain|data|pricing|price|subscription|billing|phone|floor|health|payment|business|test|terraform|free|paid|pro|enterprise|seating)[ -]plan(?:s|ner)?\b|\bplan [bB]\b`)

// Planning reports whether a text of the user, in English, is about planning: a hint that the
// plan tools should be shown to the model, by Deferral.AlwaysLoad, instead of being searched for.
// Nothing is decided by it, and it may be wrong. A host may have a better hint.
func Planning(text string) bool {
	return planningWords.MatchString(otherPlans.ReplaceAllString(text, "-"))
}
