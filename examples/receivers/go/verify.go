package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// How far the time of an attempt may be from now, in both directions.
const tolerance = 5 * time.Minute

var isID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`).MatchString
var isNumber = regexp.MustCompile(`^(0|[1-9][0-9]{0,30})$`).MatchString

// A refusal is for a request that is not from the service, not from now, or not a delivery.
type refusal struct {
	status int
	why    string
}

func (r refusal) Error() string { return r.why }

func unauthorized(why string) error { return refusal{http.StatusUnauthorized, why} }

type verifier struct {
	keys []string
	// x-service-signature holds no time, so that a recorded request is good for ever.
	acceptUntimed bool
	now           func() time.Time
}

// verify returns nil when one of our keys signed these bytes, lately.
func (v verifier) verify(body []byte, headers http.Header) error {
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		if len(headers.Values(name)) > 0 {
			return v.verifyTimed(body, headers)
		}
	}
	if !v.acceptUntimed {
		return unauthorized("webhook-signature is missing")
	}
	given, err := one(headers, "x-service-signature")
	if err != nil {
		return err
	}
	for _, key := range v.keys {
		if equal(given, hex.EncodeToString(sum([]byte(key), body))) {
			return nil
		}
	}
	return unauthorized("the signature is of another key or another body")
}

// verifyTimed is for Standard Webhooks: the id and the time of the attempt are signed too.
func (v verifier) verifyTimed(body []byte, headers http.Header) error {
	id, err := one(headers, "webhook-id")
	if err != nil {
		return err
	}
	timestamp, err := one(headers, "webhook-timestamp")
	if err != nil {
		return err
	}
	signatures, err := one(headers, "webhook-signature")
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || !isNumber(timestamp) || !isID(id) {
		return unauthorized("webhook-id or webhook-timestamp is malformed")
	}
	if age := v.now().Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return unauthorized("webhook-timestamp is too far from now")
	}
	for _, key := range v.keys {
		secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(key, "whsec_"))
		if err != nil {
			return err
		}
		digest := sum(secret, []byte(id+"."+timestamp+"."), body)
		expected := "v1," + base64.StdEncoding.EncodeToString(digest)
		// During a rotation there are two, separated by a space.
		for _, given := range strings.Split(signatures, " ") {
			if equal(given, expected) {
				return nil
			}
		}
	}
	return unauthorized("the signature is of another key or another body")
}

// one is the value of a header; one that is there twice could mean either.
func one(headers http.Header, name string) (string, error) {
	values := headers.Values(name)
	if len(values) != 1 {
		return "", unauthorized(name + " is missing or repeated")
	}
	return values[0], nil
}

func sum(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// equal compares in constant time, so that nobody can guess a signature byte by byte.
func equal(given, expected string) bool {
	return hmac.Equal([]byte(given), []byte(expected))
}
