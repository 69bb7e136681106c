import { expect, test } from 'bun:test'
import { outboundConformance } from '../../../tests/conformance/outbound-conformance.ts'
import { answerText, startScriptedServer } from '../../../tests/support/nodes/scripted-server.ts'
import { openFetchOutbound, openOutbound } from './outbound.ts'

outboundConformance('socket', openOutbound)
outboundConformance('fetch', openFetchOutbound)

test('proxy variables in the environment are not obeyed', async () => {
  const host = startScriptedServer({ onRequest: (peer) => peer.send(answerText('straight')) })
  const proxy = startScriptedServer({ onRequest: (peer) => peer.send(answerText('by proxy')) })
  const program = `
    import { openFetchOutbound, openOutbound } from ${JSON.stringify(`${import.meta.dir}/outbound.ts`)}
    const request = { url: '${host.url}', body: 'x', headers: {}, callHeaders: null, repeatable: true }
    for (const outbound of [openOutbound(), openFetchOutbound()]) {
      const { promise, resolve, reject } = Promise.withResolvers()
      outbound.post(request, { answered: resolve, lost: reject }, null)
      console.log(await (await promise).text())
    }
    console.log(await (await fetch(request.url, { method: 'POST' })).text())
    process.exit()`
  const env: Record<string, string> = { NO_PROXY: '', no_proxy: '' }
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']) {
    env[name] = proxy.url
    env[name.toLowerCase()] = proxy.url
  }
  const child = Bun.spawn([process.execPath, '-e', program], { env, stdout: 'pipe' })

  // The bare call shows that the variables would have acted.
  expect(await new Response(child.stdout).text()).toBe('straight\nstraight\nby proxy\n')
  await child.exited
  host.stop()
  proxy.stop()
})
