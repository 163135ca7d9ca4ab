package pegboard

// ResultCounts say what has become of the results of an agent, see [Session.ResultCounts].
type ResultCounts struct {
	// How many results [Session.TrimResults] sends whole, as a preview because those of one
	// message were too long together, and masked because they are old. A result that has left
	// the history is counted still.
	Whole, Replaced, Masked int
	// How many texts calls of the agent, and TrimResults, have put into the [ResultStore], and
	// how many bytes it keeps of them. A text that was put twice counts twice.
	Stored      int
	StoredBytes int64
}
