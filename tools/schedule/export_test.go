package schedule

import "time"

// Next returns the func that finds the next time of an expression.
func Next(text string) (next func(after time.Time, loc *time.Location) (time.Time, bool), err error) {
	e, err := parseExpression(text)
	if err != nil {
		return nil, err
	}
	return e.next, nil
}

// Human is an expression in words.
func Human(text string) (string, error) {
	e, err := parseExpression(text)
	if err != nil {
		return "", err
	}
	return e.human(), nil
}
