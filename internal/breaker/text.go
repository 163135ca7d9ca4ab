package breaker

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// The texts for the user say why there is a question. Those for the model also say what
// to do.

func inARow(times int) string {
	if times == 1 {
		return "1 time in a row"
	}
	return fmt.Sprintf("%d times in a row", times)
}

func failedText(tool string, times int) string {
	return fmt.Sprintf("%s failed %s", strictjson.Quote(tool), inARow(times))
}

func repeatedText(tool string, times int) string {
	return fmt.Sprintf("%s is called %s with the same input", strictjson.Quote(tool), inARow(times))
}

func alternatedText(first, second string, rounds int) string {
	return fmt.Sprintf("%s and %s take turns %s with the same inputs",
		strictjson.Quote(first), strictjson.Quote(second), inARow(rounds))
}

func deniedText(times int) string {
	return fmt.Sprintf("Calls were denied %s, so the turn ends here. Do not reach the same by other means; "+
		"tell the user what you wanted to do and why, and wait for an answer.", inARow(times))
}

func stuckText(tool string) string {
	return strictjson.Quote(tool) + " is called again and again with the same input, so the turn ends here. " +
		"Tell the user what you are looking for and what you found, and wait for an answer."
}
