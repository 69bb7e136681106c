import { expect, test } from 'bun:test'
import { browserName } from '../../dashboard/pages/settings/access/session-settings.tsx'

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0'

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${CHROME} Safari/537.36`, 'Chrome 131 on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0) ${CHROME} Safari/537.36 Edg/131.0`, 'Edge 131 on Windows'],
  ['Mozilla/5.0 (X11; Linux) Gecko/20100101 Firefox/133.0', 'Firefox 133 on Linux'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile Safari/604.1',
    'Safari 18 on iPhone',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Version/17.5 Safari/605', 'Safari 17 on macOS'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['', 'A program without a name'],
  ['<b>x</b>'.repeat(20), '<b>x</b>'.repeat(20).slice(0, 60)],
])('%s', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name)
})
