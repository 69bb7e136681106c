import { expect, test } from 'bun:test'

const PROGRAM = `
  import { stdoutWriter } from ${JSON.stringify(`${import.meta.dir}/stdout-writer.ts`)}
  const write = stdoutWriter()
  const ask = process.stdin[Symbol.asyncIterator]()
  await write('first\\n')
  await ask.next()
  for (let line = 0; line < 100; line++) await write('x'.repeat(10_000) + '\\n')
  console.error('still here')
  process.exit(0)`

test('everything written arrives', async () => {
  const child = start()
  child.stdin.write('go on\n')
  child.stdin.end()
  expect(await new Response(child.stdout).text()).toHaveLength('first\n'.length + 100 * 10_001)
  expect(await new Response(child.stderr).text()).toBe('still here\n')
})

test('a reader that goes away does not stop the service', async () => {
  const child = start()
  const reader = child.stdout.getReader()
  await reader.read()
  await reader.cancel()
  child.stdin.write('go on\n')
  child.stdin.end()
  expect(await new Response(child.stderr).text()).toBe('still here\n')
  expect(await child.exited).toBe(0)
})

function start() {
  return Bun.spawn([process.execPath, '-e', PROGRAM], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}
