package protocol

// DecodeBatch reads what one call hands over. What does not fit is reported and left
// out: an event of unknown type, one with a field of the wrong type, one nested too
// deep. When data is not JSON there is one failure and nothing else.
func DecodeBatch(data []byte) (Batch, []Failure) {
	d := decoder{data: data}
	var v Batch
	decodeBatch(&d, &v)
	if failures, ok := d.close(); !ok {
		return Batch{}, failures
	}
	return v, d.failures
}

// DecodeOutcome reads what one call gave back, by the rules of DecodeBatch.
func DecodeOutcome(data []byte) (Outcome, []Failure) {
	d := decoder{data: data}
	var v Outcome
	decodeOutcome(&d, &v)
	if failures, ok := d.close(); !ok {
		return Outcome{}, failures
	}
	return v, d.failures
}

// close ends a message that holds members. A misfit outside of them, such as
// events that are not an array, is the message's own.
func (d *decoder) close() (failures []Failure, ok bool) {
	d.end()
	if d.fatal != nil {
		return []Failure{*d.fatal}, false
	}
	if d.bad != nil {
		return append(d.failures, *d.bad), false
	}
	return d.failures, true
}

// DecodeEvent reads a single event. The error is a Failure.
func DecodeEvent(data []byte) (Event, error) { return decodeMember(data, "event", decodeEvent) }

// DecodeEffect reads a single effect. The error is a Failure.
func DecodeEffect(data []byte) (Effect, error) { return decodeMember(data, "effect", decodeEffect) }

func decodeMember[T any](data []byte, path string, one func(*decoder, string) T) (T, error) {
	d := decoder{data: data}
	v, ok := member(&d, path, one)
	if d.end(); ok && d.fatal == nil && len(d.failures) == 0 {
		return v, nil
	}
	var zero T
	if d.fatal != nil {
		return zero, *d.fatal
	}
	return zero, d.failures[0]
}

// decodePart reads a struct that is a part of members.
func decodePart[T any](data []byte, one func(*decoder, *T)) (v T, err error) {
	d := decoder{data: data}
	one(&d, &v)
	if d.end(); d.fatal != nil {
		err = *d.fatal
	} else if d.bad != nil {
		err = *d.bad
	} else {
		return v, nil
	}
	return *new(T), err
}
