package rank

// A wordWeight is the share of a word's information that counts in a query.
type wordWeight float32

const (
	ignoredWord wordWeight = 0          // neither indexed nor looked for
	vagueWord   wordWeight = vagueShare // common in queries and of little meaning
	full        wordWeight = 1
)

// weightOf returns the weight of a word in lower case. The lists are general English: the
// words of grammar, of polite requests and of vague requests.
func weightOf(word []byte) wordWeight {
	if len(word) == 1 && (word[0] < '0' || word[0] > '9') {
		return ignoredWord
	}
	switch string(word) {
	case "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "any", "are", "aren",
		"as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can",
		"cannot", "could", "couldn", "did", "didn", "do", "does", "doesn", "doing", "don", "down", "during",
		"each", "either", "else", "etc", "few", "for", "from", "further", "had", "hadn", "has", "hasn", "have",
		"haven", "having", "he", "hello", "her", "here", "hers", "herself", "hey", "hi", "him", "himself", "his",
		"how", "however", "if", "in", "into", "is", "isn", "it", "its", "itself", "just", "let", "lets", "ll",
		"may", "me", "might", "more", "most", "must", "my", "myself", "no", "nor", "not", "now", "of", "off",
		"ok", "okay", "on", "once", "only", "or", "other", "our", "ours", "ourselves", "out", "over", "own",
		"per", "please", "re", "same", "shall", "she", "should", "so", "some", "such", "than", "thank", "thanks",
		"that", "the", "their", "theirs", "them", "themselves", "then", "there", "these", "they", "this",
		"those", "through", "to", "too", "under", "until", "up", "upon", "us", "ve", "very", "via", "was", "we",
		"were", "what", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will",
		"with", "within", "without", "would", "you", "your", "yours", "yourself", "yourselves":
		return ignoredWord
	case "able", "across", "actually", "additional", "additionally", "allow", "allows", "along", "already",
		"always", "among", "another", "anyone", "anything", "around", "ask", "assist", "available", "away",
		"back", "based", "become", "begin", "best", "better", "big", "case", "certain", "come", "common",
		"complete", "comprehensive", "curious", "current", "currently", "detail", "detailed", "details",
		"different", "easy", "effective", "enable", "enables", "enough", "ensure", "entire", "even", "ever",
		"every", "everyone", "everything", "fact", "feel", "finally", "find", "first", "full", "furthermore",
		"general", "get", "getting", "give", "given", "giving", "go", "going", "gone", "good", "got", "great",
		"help", "helpful", "high", "idea", "ideas", "important", "include", "included", "includes", "including",
		"information", "interested", "interesting", "keep", "kind", "kindly", "know", "large", "last", "lastly",
		"latest", "leave", "life", "like", "little", "long", "look", "looking", "lot", "lots", "low", "made",
		"main", "major", "make", "making", "many", "maybe", "mention", "mentioned", "moreover", "much",
		"necessary", "need", "never", "new", "next", "nice", "often", "old", "one", "overall", "part",
		"particular", "people", "perhaps", "person", "plan", "planning", "point", "popular", "possible",
		"provide", "quick", "quite", "rather", "really", "recent", "regarding", "related", "right", "said",
		"sake", "say", "second", "see", "seem", "seen", "several", "short", "show", "simple", "since", "small",
		"someone", "something", "sort", "specific", "still", "sure", "take", "taken", "tell", "thing", "things",
		"think", "third", "three", "today", "took", "total", "toward", "towards", "try", "trying", "two", "type",
		"types", "use", "used", "useful", "using", "usually", "various", "want", "way", "ways", "well", "whole",
		"wonder", "wondering", "world", "yet":
		return vagueWord
	}
	return full
}
