import type { NetworkKind } from '../../core/network.ts'
import { networkHostUrl, networkPathUrl } from '../edge/network-url.ts'
import { type Html, html } from './html.ts'
import { pageReply } from './page-reply.ts'

type ListedNetwork = { id: string; slug: string; kind: NetworkKind }

type Needs = {
  publicUrl: string
  networks(): readonly ListedNetwork[]
  /** True when the public key `demo` is served. */
  demoKey(): boolean
}

const FIRST_METHOD: Readonly<Record<NetworkKind, string>> = {
  evm: 'eth_blockNumber',
  solana: 'getSlot',
}

/** The start page of an instance: what it is, and the first request to paste. */
export function homePage(needs: Needs): Response {
  const networks = needs.networks()
  const main = html`
<h1>Your nodes, behind one gate.</h1>
<p class="lead">Headgate gives your apps one dependable address for every blockchain network
you run or rent. Each call is authenticated, limited and metered, and moves on to the next node
when one fails.</p>
${firstRequest(needs, networks)}
<section aria-labelledby="networks">
<h2 id="networks">Networks</h2>
${networkList(needs, networks)}
</section>
<section class="facts" aria-label="What to do next">
<div class="card"><h2><a href="/docs#createApp">Get a key</a></h2>
<p>Create an app with your team’s token. Its key works within a second.</p></div>
<div class="card"><h2><a href="/docs#getUsageSummary">Watch the usage</a></h2>
<p>Compute units by the hour, split by method, network or app.</p></div>
<div class="card"><h2><a href="/docs#listNetworks">See the nodes</a></h2>
<p>Head, lag and health of every upstream, and why it is or isn’t used.</p></div>
</section>`
  return pageReply({ title: 'Headgate', path: '/', mainClass: 'home', main })
}

function firstRequest(needs: Needs, networks: readonly ListedNetwork[]): Html | null {
  const [network] = networks
  if (!network) return null
  const method = FIRST_METHOD[network.kind]
  return html`
<section aria-labelledby="first">
<h2 id="first">Make the first request</h2>
${needs.demoKey() ? demoRequest(needs, network) : null}
<p>With a key of your own:</p>
<pre tabindex="0"><code>${curl(networkPathUrl(needs, network.slug, '$HEADGATE_KEY'), method)}</code></pre>
<p class="quiet">The first start wrote a key and a token for you to <code>first-run.json</code> in
the data folder. Any Ethereum or Solana library takes the address as its RPC URL.</p>
</section>`
}

function demoRequest(needs: Needs, { slug, kind }: ListedNetwork): Html {
  return html`
<p>Paste this into a terminal. It uses the public demo key, which is good for a try.</p>
<pre tabindex="0"><code>${curl(networkPathUrl(needs, slug, 'demo'), FIRST_METHOD[kind])}</code></pre>`
}

function networkList(needs: Needs, networks: readonly ListedNetwork[]): Html {
  if (networks.length === 0) return html`<p>No network is configured yet.</p>`
  return html`<ul class="networks">${networks.map((network) => networkCard(needs, network))}</ul>`
}

function networkCard(needs: Needs, { id, slug, kind }: ListedNetwork): Html {
  const byHost = networkHostUrl(needs, slug, '<key>')
  const hostRow = byHost && html`<dt>By host</dt><dd><code>${byHost}</code></dd>`
  return html`<li class="card"><h3>${id}<span class="tag">${kind}</span></h3>
<dl><dt>By path</dt><dd><code>${networkPathUrl(needs, slug, '<key>')}</code></dd>${hostRow}</dl></li>`
}

function curl(url: string, method: string): string {
  // In double quotes the shell fills in the key, and leaves the rest of an address alone.
  return `curl "${url}" \\
  -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"${method}","params":[]}'`
}
