export function GateArt() {
  return (
    <svg class="art" width="88" height="56" viewBox="0 0 88 56" aria-hidden="true">
      <path d="M26 52V14M62 52V14M20 14h48M38 14v16M50 14v16" />
      <path
        opacity=".45"
        d="M8 46c6-5 12-5 18 0M62 46c6-5 12-5 18 0M32 46c6-5 12-5 18 0 4 3 6 3 10 0"
      />
    </svg>
  )
}

export function BlocksArt() {
  return (
    <svg class="art" width="120" height="56" viewBox="0 0 120 56" aria-hidden="true">
      <rect x="2" y="18" width="20" height="20" rx="4" opacity=".35" />
      <rect x="32" y="18" width="20" height="20" rx="4" opacity=".6" />
      <rect x="62" y="18" width="20" height="20" rx="4" />
      <path d="M22 28h10M52 28h10" opacity=".5" />
      <path d="M82 28h16m0 0-5-5m5 5-5 5M104 20v16M110 16v24" />
    </svg>
  )
}
