// Package repair corrects mistakes that models often make in the input of a tool, where the
// intended JSON is certain.
//
// It never changes valid input, and repairing twice is the same as repairing once. It does
// not repair repeated keys or keys in another letter case, since their meaning is not
// certain.
package repair

// A Repair describes one repair of an input.
type Repair struct {
	Kind Kind
	Path string // of the value in the repaired input, such as items[2].name; "" for the root or the whole text
	Note string // one sentence for logs; it quotes nothing of the input but names of properties
}
