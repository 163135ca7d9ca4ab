package breaker

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// The texts for a person say why there is a question. Those for a model also
// say what to do.

func failedText(tool string, times int) string {
	return fmt.Sprintf("%s failed %d times in a row", strictjson.Quote(tool), times)
}

func repeatedText(tool string, times int) string {
	return fmt.Sprintf("%s is called %d times in a row with the same input", strictjson.Quote(tool), times)
}

func alternatedText(first, second string, rounds int) string {
	return fmt.Sprintf("%s and %s take turns %d times in a row with the same inputs",
		strictjson.Quote(first), strictjson.Quote(second), rounds)
}

func deniedText(times int) string {
	return fmt.Sprintf("%d calls in a row were denied, so the turn ends here. Do not reach the same by other means; "+
		"tell the user what you wanted to do and why, and wait for an answer.", times)
}

func stuckText(tool string) string {
	return strictjson.Quote(tool) + " is called again and again with the same input, so the turn ends here. " +
		"Tell the user what you are looking for and what you found, and wait for an answer."
}
