/**
 * The permutation of Keccak as a module of WebAssembly, written instruction by instruction: its
 * 64-bit words take JavaScript four times as long, and a block's proof is little else. With
 * hash-wasm, a proof takes an eighth longer.
 */

export const RATE_BYTES = 136
export const STATE_AT = 0
export const STATE_BYTES = 200
export const INPUT_AT = 512
export const INPUT_BLOCKS_MAX = 480

const CONSTANTS_AT = 256
const PAGES = 2
const ROUNDS = 24
const LANES = 25
const RATE_LANES = RATE_BYTES / 8

const [LOOP, END, BR_IF] = [0x03, 0x0b, 0x0d]
const [GET, SET, TEE] = [0x20, 0x21, 0x22]
const [LOAD, STORE] = [0x29, 0x37]
const [I32_CONST, I64_CONST, I32_LT_U, I32_ADD, I32_SUB] = [0x41, 0x42, 0x49, 0x6a, 0x6b]
const [AND, XOR, ROTL] = [0x83, 0x85, 0x89]
const [NO_VALUE, I32, I64] = [0x40, 0x7f, 0x7e]

/** The parameter first, then the other locals: two of 32 bits, the rest of 64. */
const BLOCKS_LEFT = 0
const INPUT = 1
const ROUND = 2
const lane = (at: number) => 3 + at
const moved = (at: number) => lane(LANES) + at
const column = (x: number) => moved(LANES) + (x % 5)
const SCRATCH = column(0) + 5
const LOCALS_64 = 2 * LANES + 6

/** The state is at `STATE_AT`, the input from `INPUT_AT`, in whole blocks of `RATE_BYTES`. */
export function openKeccakModule() {
  const module = new WebAssembly.Module(moduleBytes())
  const { memory, absorb } = new WebAssembly.Instance(module).exports as {
    memory: WebAssembly.Memory
    absorb: (blockCount: number) => void
  }
  new BigUint64Array(memory.buffer, CONSTANTS_AT, ROUNDS).set(roundConstants())
  return { memory: new Uint8Array(memory.buffer), absorb }
}

function moduleBytes(): Uint8Array<ArrayBuffer> {
  const locals = [2, ...[2, I32], ...[LOCALS_64, I64]]
  const body = [...locals, ...absorbCode(), END]
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, 1, I32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0x00, PAGES]),
    ...section(7, [2, ...name('memory'), 0x02, 0, ...name('absorb'), 0x00, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ])
}

function absorbCode(): number[] {
  const lanes = Array.from({ length: LANES }, (_, at) => at)
  const load = lanes.flatMap((at) => [I32_CONST, 0, ...loadAt(STATE_AT + 8 * at), SET, lane(at)])
  const store = lanes.flatMap((at) => [
    ...[I32_CONST, 0, GET, lane(at), STORE, 3, ...unsigned(STATE_AT + 8 * at)],
  ])
  const mix = lanes
    .slice(0, RATE_LANES)
    .flatMap((at) => [GET, lane(at), GET, INPUT, ...loadAt(INPUT_AT + 8 * at), XOR, SET, lane(at)])
  const rounds = [
    ...[I32_CONST, 0, SET, ROUND, LOOP, NO_VALUE],
    ...roundCode(),
    ...[GET, ROUND, I32_CONST, 8, I32_ADD, TEE, ROUND],
    ...[I32_CONST, ...signed(8 * ROUNDS), I32_LT_U, BR_IF, 0, END],
  ]
  return [
    ...load,
    ...[LOOP, NO_VALUE, ...mix, ...rounds],
    ...[GET, INPUT, I32_CONST, ...signed(RATE_BYTES), I32_ADD, SET, INPUT],
    ...[GET, BLOCKS_LEFT, I32_CONST, 1, I32_SUB, TEE, BLOCKS_LEFT, BR_IF, 0, END],
    ...store,
  ]
}

/** One round: theta, rho and pi, chi, iota. Lane x, y is at x + 5 y. */
function roundCode(): number[] {
  const code: number[] = []
  for (let x = 0; x < 5; x++) {
    code.push(GET, lane(x))
    for (let y = 1; y < 5; y++) code.push(GET, lane(x + 5 * y), XOR)
    code.push(SET, column(x))
  }
  const turns = rotations()
  for (let x = 0; x < 5; x++) {
    code.push(GET, column(x + 4), GET, column(x + 1), I64_CONST, 1, ROTL, XOR, SET, SCRATCH)
    for (let y = 0; y < 5; y++) {
      const to = y + 5 * ((2 * x + 3 * y) % 5)
      code.push(GET, lane(x + 5 * y), GET, SCRATCH, XOR)
      code.push(I64_CONST, ...signed(turns[x + 5 * y] ?? 0), ROTL, SET, moved(to))
    }
  }
  const NOT = [I64_CONST, ...signed(-1), XOR]
  for (let y = 0; y < LANES; y += 5) {
    for (let x = 0; x < 5; x++) {
      code.push(GET, moved(y + ((x + 1) % 5)), ...NOT, GET, moved(y + ((x + 2) % 5)), AND)
      code.push(GET, moved(y + x), XOR, SET, lane(y + x))
    }
  }
  code.push(GET, lane(0), GET, ROUND, ...loadAt(CONSTANTS_AT), XOR, SET, lane(0))
  return code
}

/** By how much each lane is rotated, as the standard's walk through them has it. */
function rotations(): number[] {
  const turns = Array<number>(LANES).fill(0)
  let [x, y] = [1, 0]
  for (let step = 0; step < ROUNDS; step++) {
    turns[x + 5 * y] = (((step + 1) * (step + 2)) / 2) % 64
    ;[x, y] = [y, (2 * x + 3 * y) % 5]
  }
  return turns
}

/** One for each round, from the standard's shift register. */
function roundConstants(): bigint[] {
  let register = 1
  return Array.from({ length: ROUNDS }, () => {
    let constant = 0n
    for (let power = 0; power <= 6; power++) {
      if (register & 1) constant |= 1n << BigInt(2 ** power - 1)
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1
    }
    return constant
  })
}

function loadAt(offset: number): number[] {
  return [LOAD, 3, ...unsigned(offset)]
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content]
}

function name(text: string): number[] {
  return [text.length, ...new TextEncoder().encode(text)]
}

/** LEB128: seven bits a byte, the lowest first. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

function signed(value: number): number[] {
  const isLast = value >= -0x40 && value < 0x40
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]
}
