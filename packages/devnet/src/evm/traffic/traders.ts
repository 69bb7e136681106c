/**
 * The accounts that traffic comes from: nobody else's, so that the test accounts stay as their
 * users leave them. The key of trader n is the SHA-256 of `headgate devnet trader n`, which the
 * whole world knows.
 */
export const TRADERS: readonly (readonly [address: string, publicTestKey: string])[] = [
  [
    '0x60696277c17dd2ac33fa387495571b7ecccdf7e7',
    '0x7f55d69537429819bddc32cffdb0486c09361d572ec3e4d36e6e2dd7625ab230',
  ],
  [
    '0x6a8ca80b98990d7127012722a49b68af8ea6bfd1',
    '0x72d11e4c688029135bbe2918e6d5884f099938eaae50b92f8147dd86e4a25c53',
  ],
  [
    '0x4fe7ae41815814f7522d2ca70e118a2861862762',
    '0xbeaffdba404a87cb2eaf59159218a759c71e2a8bfb4d82c36596d9f04d38695a',
  ],
  [
    '0xe724db4629d81bb8aee73b7e16e93fbad10a494e',
    '0xd410f636d9732a9d97a445b1cb431becee24b4f9aae3422d53e6493f9278107d',
  ],
  [
    '0xe0a592b867c673777a5e34ed533aaeeea71060e1',
    '0x9d6dfe440fa9f73b76a30b9d3c8af145c7e05ce2d636692e5d9473bc1e885371',
  ],
  [
    '0x239632e303734b3150c7aa524bbbcfe5a05c8f0f',
    '0x6ce7584c54f83f6db6b2e132efb642a3edd2505da23ab1d05d82e619148b4bbb',
  ],
  [
    '0xa3182d598f7254056bf450c094b8fc19fcb05099',
    '0x7ce6b663c8fd4c3bd23bac0e3b2bd2582fa763f13368513183f67c655e56e8a8',
  ],
  [
    '0x52248ee9f47767fd9238c8f2dc5e46ce2f44f342',
    '0xe41460b64eaf109dd6895b1cbcdde5954ab710b4efb5cdec4b77e506bde465f8',
  ],
]
