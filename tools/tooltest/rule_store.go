package tooltest

// The rules of CheckStore. Each one has an entry in storePurposes and an item in the
// comment of CheckStore.
const (
	ruleStoreOpens      = "a store opens"
	ruleStoreKeeps      = "results are kept"
	ruleStoreReads      = "streams are read to the end"
	ruleStoreSame       = "the same has the same name"
	ruleStoreApart      = "others are apart"
	ruleStorePartial    = "nothing partial stays"
	ruleStoreUnknown    = "unknown refs do not exist"
	ruleStorePaths      = "refs are no paths"
	ruleStoreConcurrent = "concurrent calls agree"
	ruleStoreChanges    = "stored results never change"
	ruleStoreReturns    = "every method returns"
)

// storePurposes holds the purpose of each rule.
var storePurposes = map[string]string{
	ruleStoreOpens:      "a conversation is resumed with another store over the same place",
	ruleStoreKeeps:      "the model is told that all of the result is there, and reads on by byte offset",
	ruleStoreReads:      "a program whose output is not read to its end blocks in its write",
	ruleStoreSame:       "a repeated or replayed call must give the model the same bytes, or the cached prompt is lost",
	ruleStoreApart:      "forks and later turns may have calls of the same id, and none may read the result of another",
	ruleStorePartial:    "a part of a result would be taken for all of it",
	ruleStoreUnknown:    "the model is told that a result is gone only if the error says so",
	ruleStorePaths:      "a model writes the ref that is opened, and must not read files with it",
	ruleStoreConcurrent: "the calls of a batch, and of all agents, store their results at the same time",
	ruleStoreChanges:    "the model has seen a part of the result under this name, and relies on the rest",
	ruleStoreReturns:    "a panic, runtime.Goexit or a method that never ends loses the result of the call",
}
