export type ExecutableTarget = {
  os: 'linux' | 'darwin'
  cpu: 'x64' | 'arm64'
  /** The package that has the runtime of that platform. */
  runtime: string
}

/** The platforms that executables are built for, by the names that the builder has for them. */
export const EXECUTABLE_TARGETS: Readonly<Record<string, ExecutableTarget>> = {
  'bun-linux-x64': { os: 'linux', cpu: 'x64', runtime: '@oven/bun-linux-x64' },
  'bun-linux-arm64': { os: 'linux', cpu: 'arm64', runtime: '@oven/bun-linux-aarch64' },
  'bun-darwin-x64': { os: 'darwin', cpu: 'x64', runtime: '@oven/bun-darwin-x64' },
  'bun-darwin-arm64': { os: 'darwin', cpu: 'arm64', runtime: '@oven/bun-darwin-aarch64' },
}
