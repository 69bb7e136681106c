// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

interface Traded {
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 value) external returns (bool);
}

/// Two tokens in a pool: the product of what it holds of them never falls. Liquidity that is
/// given to it stays there.
contract Pool {
    event Mint(address indexed sender, uint256 amount0, uint256 amount1);
    event Swap(
        address indexed sender,
        uint256 amount0In,
        uint256 amount1In,
        uint256 amount0Out,
        uint256 amount1Out,
        address indexed to
    );
    event Sync(uint112 reserve0, uint112 reserve1);

    Traded public immutable token0;
    Traded public immutable token1;
    uint112 private reserve0;
    uint112 private reserve1;

    constructor(Traded first, Traded second) {
        token0 = first;
        token1 = second;
    }

    function getReserves() external view returns (uint112, uint112) {
        return (reserve0, reserve1);
    }

    /// Counts what was sent here since the last call as liquidity.
    function mint() external {
        (uint256 held0, uint256 held1) = held();
        emit Mint(msg.sender, held0 - reserve0, held1 - reserve1);
        sync(held0, held1);
    }

    /// Pays the price of what was sent here since the last call, less a fee of 0.3 %.
    function swap(address to) external returns (uint256 out) {
        (uint256 held0, uint256 held1) = held();
        uint256 in0 = held0 - reserve0;
        uint256 in1 = held1 - reserve1;
        require((in0 == 0) != (in1 == 0), "Pool: one token goes in");
        out = in0 > 0 ? outOf(in0, reserve0, reserve1) : outOf(in1, reserve1, reserve0);
        require(out > 0, "Pool: too little");
        (in0 > 0 ? token1 : token0).transfer(to, out);
        (held0, held1) = held();
        sync(held0, held1);
        emit Swap(msg.sender, in0, in1, in0 > 0 ? 0 : out, in0 > 0 ? out : 0, to);
    }

    function outOf(uint256 given, uint256 from, uint256 to) private pure returns (uint256) {
        uint256 counted = given * 997;
        return (counted * to) / (from * 1000 + counted);
    }

    function held() private view returns (uint256, uint256) {
        return (token0.balanceOf(address(this)), token1.balanceOf(address(this)));
    }

    function sync(uint256 held0, uint256 held1) private {
        require(held0 <= type(uint112).max && held1 <= type(uint112).max, "Pool: too much");
        reserve0 = uint112(held0);
        reserve1 = uint112(held1);
        emit Sync(reserve0, reserve1);
    }
}

/// Makes pools. Several may trade the same two tokens, each with a salt of its own.
contract PoolFactory {
    event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count);

    uint256 public allPairsLength;

    function createPair(Traded first, Traded second, bytes32 salt) external returns (address pair) {
        require(address(first) < address(second), "PoolFactory: tokens in order");
        pair = address(new Pool{salt: salt}(first, second));
        allPairsLength++;
        emit PairCreated(address(first), address(second), pair, allPairsLength);
    }
}
