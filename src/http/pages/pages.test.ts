import { describe, expect, test } from 'bun:test'
import { OPEN_API } from '../contract/open-api-document.ts'
import { networkHostUrl, networkPathUrl } from '../edge/network-url.ts'
import { docsPage } from './docs-page.ts'
import { homePage } from './home-page.ts'
import { html, inline, prose, textOf } from './html.ts'

const NETWORKS = [
  { id: 'ETH_MAINNET', slug: 'eth-mainnet', kind: 'evm' },
  { id: 'SOLANA_MAINNET', slug: 'solana-mainnet', kind: 'solana' },
] as const

const PUBLIC_URL = 'https://gate.example'

const home = (
  networks: readonly { id: string; slug: string; kind: 'evm' | 'solana' }[] = NETWORKS,
) => homePage({ publicUrl: PUBLIC_URL, networks: () => networks, demoKey: () => true })

const docs = () => docsPage({ publicUrl: PUBLIC_URL })

describe('the home page', () => {
  test('has a request to paste, for the demo key and for one’s own', async () => {
    const text = await home().text()
    expect(text).toContain('curl &quot;https://gate.example/eth-mainnet/v2/demo&quot;')
    expect(text).toContain('https://gate.example/eth-mainnet/v2/$HEADGATE_KEY')
  })

  test('shows each network in both forms of its address', async () => {
    const text = await home().text()
    for (const { id, slug } of NETWORKS) {
      expect(text).toContain(id)
      expect(text).toContain(`https://gate.example/${slug}/v2/&lt;key&gt;`)
      expect(text).toContain(`https://${slug}.gate.example/v2/&lt;key&gt;`)
    }
  })

  test('asks a Solana network for its slot, and says when there is no network', async () => {
    expect(await home([NETWORKS[1]]).text()).toContain('getSlot')
    expect(await home([]).text()).toContain('No network is configured')
  })

  test('does not offer a demo key that is not served', async () => {
    const needs = { publicUrl: PUBLIC_URL, networks: () => NETWORKS, demoKey: () => false }
    const text = await homePage(needs).text()
    expect(text).not.toContain('demo')
    expect(text).toContain('$HEADGATE_KEY')
  })

  test('escapes what comes from the configuration', async () => {
    const text = await home([
      { id: '<script>alert(1)</script>', slug: '"><b>', kind: 'evm' },
    ]).text()
    expect(text).not.toContain('<script')
    expect(text).not.toContain('"><b>')
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  })
})

describe('the reference', () => {
  test('has every operation and every object of the document', async () => {
    const text = await docs().text()
    for (const [path, methods] of Object.entries(OPEN_API.paths)) {
      expect(text).toContain(`<code>${path}</code>`)
      for (const operation of Object.values(methods)) {
        expect(text).toContain(`id="${operation.operationId}"`)
      }
    }
    for (const name of Object.keys(OPEN_API.components.schemas)) {
      expect(text).toContain(`id="schema-${name}"`)
    }
  })
})

describe('both pages', () => {
  const pages = [
    ['home', home],
    ['docs', docs],
  ] as const

  test.each(pages)(
    '%s: every link within leads somewhere, every id is there once',
    async (_, page) => {
      const [text, reference] = await Promise.all([page().text(), docs().text()])
      const ids = [...text.matchAll(/ id="([^"]+)"/g)].map((found) => found[1])
      expect(new Set(ids).size).toBe(ids.length)
      for (const [, id] of text.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(id)
      for (const [, id] of text.matchAll(/href="\/docs#([^"]+)"/g)) {
        expect(reference).toContain(`id="${id}"`)
      }
    },
  )

  test.each(pages)('%s: load nothing and run nothing', async (_, page) => {
    const reply = page()
    const policy = reply.headers.get('content-security-policy') ?? ''
    const text = await reply.text()
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/<script|<img|<iframe|<link rel="stylesheet"|style="|\son\w+=/)
    expect(text).not.toMatch(/(?:src|href)="https?:/)

    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? ''
    const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64')
    expect(policy).toContain(`style-src 'sha256-${hash}'`)
  })

  test.each(pages)('%s: every tag that opens closes', async (_, page) => {
    const text = await page().text()
    const open: string[] = []
    for (const [, slash, name = '', own] of text.matchAll(
      /<(\/?)([a-z][a-z0-9]*)\b[^>]*?(\/?)>/g,
    )) {
      if (own || ['meta', 'link', 'br'].includes(name)) continue
      if (slash) expect(open.pop()).toBe(name)
      else open.push(name)
    }
    expect(open).toEqual([])
  })
})

describe('markup', () => {
  test('escapes texts and numbers, and keeps markup', () => {
    const bold = html`<b>${'<&>"\''}</b>`
    expect(textOf(html`<p title="${'"'}">${bold}${[bold]}${7}${null}</p>`)).toBe(
      '<p title="&quot;"><b>&lt;&amp;&gt;&quot;&#39;</b><b>&lt;&amp;&gt;&quot;&#39;</b>7</p>',
    )
  })

  test('makes code of what stands between backticks, escaped like the rest', () => {
    expect(inline('use `<key>` & go').map(textOf).join('')).toBe(
      'use <code>&lt;key&gt;</code> &amp; go',
    )
    expect(prose('one\n\ntwo').map(textOf)).toEqual(['<p>one</p>', '<p>two</p>'])
  })
})

describe('addresses of a network', () => {
  test.each([
    ['http://localhost:8080', 'http://localhost:8080/eth/v2/k', 'http://eth.localhost:8080/v2/k'],
    ['https://gate.example/', 'https://gate.example/eth/v2/k', 'https://eth.gate.example/v2/k'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/eth/v2/k', null],
    ['http://[::1]:8080', 'http://[::1]:8080/eth/v2/k', null],
  ])('at %s', (publicUrl, byPath, byHost) => {
    expect(networkPathUrl({ publicUrl }, 'eth', 'k')).toBe(byPath)
    expect(networkHostUrl({ publicUrl }, 'eth', 'k')).toBe(byHost)
  })
})
