// Package enum names the values of enumerations.
package enum

// Name returns the name of a value, which is its index, or "invalid" if it has none.
func Name[T ~int | ~uint8](value T, names ...string) string {
	if i := int(value); i >= 0 && i < len(names) {
		return names[i]
	}
	return "invalid"
}
