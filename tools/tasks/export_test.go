package tasks

// Recode decodes the content of a file and encodes it again.
func Recode(data []byte) ([]byte, error) {
	g, err := decodeGraph(data)
	if err != nil {
		return nil, err
	}
	return g.encode()
}
