import { expect, test } from 'bun:test'
import { memberText } from '../../dashboard/pages/editor/dry-run/use-runs.ts'

test.each([
  ['{"data":{"a":1},"bytes":3}', '{"a":1}'],
  ['{"bytes":3,"data":{"a":{"data":2}}}', '{"a":{"data":2}}'],
  ['{"data":{"n":123456789012345678901234567890},"x":1}', '{"n":123456789012345678901234567890}'],
  ['{"data":{"s":"},\\"data\\":{"},"x":1}', '{"s":"},\\"data\\":{"}'],
  ['{"x":"data","data":[1]}', '[1]'],
  ['{"x":{"data":1}}', ''],
  ['{"data":{', ''],
  ['', ''],
])('the member `data` of %s is %s', (text, expected) => {
  expect(memberText(text, 'data')).toBe(expected)
})
