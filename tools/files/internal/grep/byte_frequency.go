package grep

// asciiFrequency has the number of occurrences of each ASCII character in 100,000 bytes
// of source code, counted in a sample of 34 MB of Go and JavaScript.
var asciiFrequency = [128]uint16{
	1, 1, 1, 1, 1, 1, 1, 1, 1, 4054, 3125, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	10604, 115, 1220, 38, 31, 107, 107, 71, 1051, 1051, 229, 77, 1515, 323, 1783, 1190,
	740, 581, 355, 211, 217, 145, 204, 107, 211, 115, 810, 84, 50, 627, 40, 8,
	5, 652, 178, 554, 317, 411, 258, 168, 109, 406, 28, 88, 306, 241, 401, 302,
	438, 40, 458, 705, 461, 174, 218, 118, 58, 51, 19, 220, 141, 220, 7, 270,
	48, 3934, 883, 2563, 2032, 7981, 1580, 1301, 1206, 4216, 128, 560, 2452, 1449, 4249, 4039,
	1776, 122, 4741, 3784, 5562, 2041, 785, 503, 648, 728, 96, 633, 49, 629, 2, 1,
}

// byteFrequency returns the approximate share of c among the bytes of a text.
func byteFrequency(c byte) float64 {
	if c < 128 {
		return float64(asciiFrequency[c]) / 100_000
	}
	return 50.0 / 100_000
}
