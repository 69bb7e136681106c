// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

interface Payable {
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

interface TradingPool {
    function mint() external;
    function swap(address to) external returns (uint256);
}

/// Trades through one pool or through several in a row.
contract Router {
    /// Gives the token to the first pool; each pool pays the next one, and the last one `to`.
    function swap(
        TradingPool[] calldata pools,
        Payable token,
        uint256 given,
        uint256 outMin,
        address to
    ) external returns (uint256 out) {
        token.transferFrom(msg.sender, address(pools[0]), given);
        for (uint256 place = 0; place < pools.length; place++) {
            bool isLast = place + 1 == pools.length;
            out = pools[place].swap(isLast ? to : address(pools[place + 1]));
        }
        require(out >= outMin, "Router: price moved");
    }

    function addLiquidity(
        TradingPool pool,
        Payable token0,
        uint256 given0,
        Payable token1,
        uint256 given1
    ) external {
        token0.transferFrom(msg.sender, address(pool), given0);
        token1.transferFrom(msg.sender, address(pool), given1);
        pool.mint();
    }
}
